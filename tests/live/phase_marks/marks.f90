! SPDX-License-Identifier: Apache-2.0
! Marks two executions of phase 7, the first before the runtime has started.
program marks
  use memsearch_phase
  implicit none
  integer :: step, i, total

  total = 0
  do step = 1, 2
    call memsearch_phase_begin(7)
    !$omp parallel do reduction(+:total) num_threads(2)
    do i = 0, 999
      total = total + i
    end do
    call memsearch_phase_end(7)
  end do
  call memsearch_measure_start()
  call memsearch_measure_pause()
  call memsearch_measure_end()
  write (*, '(a,i0)') 'sum ', total
end program
