! SPDX-License-Identifier: Apache-2.0
! Marks the main phase of a Fortran program for memsearch; in C and C++: phase.h, which says more.
!
!     use memsearch_phase
!     do step = 1, steps
!       call memsearch_phase_begin(0)
!       ...                              one time step
!       call memsearch_phase_end(0)
!     end do
!
! Compile this file with the program. It needs no library: the runtime's omp_control_tool
! is looked up while the program runs, and where there is none, the marks do nothing.
module memsearch_phase
  use, intrinsic :: iso_c_binding, only: c_int, c_char, c_ptr, c_funptr, c_null_ptr, c_null_char, &
                                         c_associated, c_f_procpointer
  implicit none
  private
  public :: memsearch_phase_begin, memsearch_phase_end
  public :: memsearch_interval_begin, memsearch_interval_end
  public :: memsearch_measure_start, memsearch_measure_pause, memsearch_measure_end

  abstract interface
    function control_tool(command, modifier, arg) bind(C) result(answer)
      import :: c_int, c_ptr
      integer(c_int), value :: command, modifier
      type(c_ptr), value :: arg
      integer(c_int) :: answer
    end function
    function max_threads() bind(C) result(answer)
      import :: c_int
      integer(c_int) :: answer
    end function
  end interface

  interface
    function dlsym(handle, name) bind(C, name="dlsym") result(address)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle          ! null: RTLD_DEFAULT
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: address
    end function
  end interface

  logical :: looked_up = .false., started = .false.
  procedure(control_tool), pointer :: control => null()
  procedure(max_threads), pointer :: get_max_threads => null()

contains

  ! Both may run on several threads at once: each stores the same.
  subroutine look_up()
    type(c_funptr) :: address

    address = dlsym(c_null_ptr, "omp_get_max_threads" // c_null_char)
    if (c_associated(address)) call c_f_procpointer(address, get_max_threads)
    address = dlsym(c_null_ptr, "omp_control_tool" // c_null_char)
    if (c_associated(address)) call c_f_procpointer(address, control)
    looked_up = .true.
  end subroutine

  ! Before LLVM's runtime is initialised it says "no tool" (-2) and calls nobody: start it, once.
  subroutine tell(command, number)
    integer, intent(in) :: command, number
    integer(c_int) :: answer, threads

    if (.not. looked_up) call look_up()
    if (.not. associated(control)) return
    answer = control(int(command, c_int), int(number, c_int), c_null_ptr)
    if (answer /= -2 .or. started .or. .not. associated(get_max_threads)) return
    started = .true.
    threads = get_max_threads()
    answer = control(int(command, c_int), int(number, c_int), c_null_ptr)
  end subroutine

  ! One execution of phase `number` begins here ...
  subroutine memsearch_phase_begin(number)
    integer, intent(in) :: number

    call tell(64, number)
  end subroutine

  ! ... and ends here.
  subroutine memsearch_phase_end(number)
    integer, intent(in) :: number

    call tell(65, number)
  end subroutine

  ! A part of the run begins here, in which memsearch searches, too ...
  subroutine memsearch_interval_begin(number)
    integer, intent(in) :: number

    call tell(66, number)
  end subroutine

  ! ... and ends here. It may begin again.
  subroutine memsearch_interval_end(number)
    integer, intent(in) :: number

    call tell(67, number)
  end subroutine

  ! Measuring starts (again), pauses, or ends for good.
  subroutine memsearch_measure_start()
    call tell(1, 0)
  end subroutine

  subroutine memsearch_measure_pause()
    call tell(2, 0)
  end subroutine

  subroutine memsearch_measure_end()
    call tell(4, 0)
  end subroutine
end module
