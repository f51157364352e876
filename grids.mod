!mod$ v1 sum:81786789c2244b9b
module grids
type::part
real(8),allocatable::rho(:)
real(8),allocatable::mu(:)
end type
type::grid
type(part)::inner
end type
contains
subroutine make(g,n)
type(grid),intent(out)::g
integer(4),intent(in)::n
end
end
