! taskloop, reductions over tasks and run-time loops in Fortran.
module loops_cases
  use check
  use omp_lib
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none

contains

  subroutine every_iteration_once()
    integer :: cells(200), i
    cells = 0
    !$omp parallel
    !$omp single
    !$omp taskloop grainsize(7)
    do i = 1, 200
      cells(i) = cells(i) + 1
    end do
    !$omp taskloop num_tasks(9)
    do i = 200, 1, -3
      cells(i) = cells(i) + 10
    end do
    !$omp end single
    !$omp end parallel
    do i = 1, 200
      call expect_equal(cells(i), merge(11, 1, mod(200 - i, 3) == 0), 'cell')
    end do
  end subroutine every_iteration_once

  subroutine collapsed_loops()
    integer :: grid(20, 15), i, j
    grid = 0
    !$omp parallel
    !$omp single
    !$omp taskloop collapse(2) num_tasks(11)
    do j = 1, 15
      do i = 20, 1, -1
        grid(i, j) = grid(i, j) + 1
      end do
    end do
    !$omp end single
    !$omp end parallel
    call expect(all(grid == 1), 'not each iteration once')
  end subroutine collapsed_loops

  subroutine clauses_of_taskloop()
    integer :: i, last, total, base
    base = 5
    total = 0
    last = 0
    !$omp parallel
    !$omp single
    !$omp taskloop firstprivate(base) lastprivate(last) shared(total) grainsize(10)
    do i = 1, 100
      last = i
      call add(base, total)
    end do
    !$omp end taskloop
    !$omp taskloop nogroup shared(total) untied priority(2)
    do i = 1, 100
      call add(1, total)
    end do
    !$omp taskwait
    call expect_equal(total, 600, 'total')
    !$omp taskloop if(.false.) shared(total)
    do i = 1, 10
      total = total + 1
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(last, 100, 'last')
    call expect_equal(total, 610, 'total')
  end subroutine clauses_of_taskloop

  subroutine add(value, total)
    integer, intent(in) :: value
    integer, intent(inout) :: total
    !$omp atomic
    total = total + value
  end subroutine add

  subroutine wide_and_empty_loops()
    integer(int64) :: k
    integer :: i, done, none
    done = 0
    none = 0
    !$omp parallel
    !$omp single
    !$omp taskloop shared(done)
    do k = -3000000000_int64, 3000000000_int64, 100000000_int64
      call bump(done)
    end do
    !$omp taskloop shared(done)
    do i = 1, none
      call bump(done)
    end do
    !$omp taskloop shared(done)
    do i = huge(i) - 10, huge(i) - 1
      call bump(done)
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(done, 71, 'done')
  end subroutine wide_and_empty_loops

  subroutine reductions_over_taskloops()
    integer :: i, total, most
    real(8) :: twice
    total = 3
    most = 0
    twice = 0
    !$omp parallel
    !$omp single
    !$omp taskloop reduction(+: total, twice) reduction(max: most) grainsize(9)
    do i = 1, 100
      total = total + i
      twice = twice + 0.5d0*i
      most = max(most, i)
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(total, 5053, 'total')
    call expect_equal(most, 100, 'most')
    call expect(twice == 2525d0, 'twice')
  end subroutine reductions_over_taskloops

  subroutine reductions_over_groups()
    integer :: i, total, cells(5)
    total = 0
    cells = 0
    !$omp parallel
    !$omp single
    !$omp taskgroup task_reduction(+: total, cells)
    do i = 1, 100
      !$omp task in_reduction(+: total, cells) firstprivate(i)
      total = total + i
      cells(mod(i, 5) + 1) = cells(mod(i, 5) + 1) + 1
      !$omp end task
    end do
    !$omp taskloop in_reduction(+: total) grainsize(5)
    do i = 1, 100
      total = total + 1
    end do
    !$omp end taskgroup
    !$omp end single
    !$omp end parallel
    call expect_equal(total, 5150, 'total')
    call expect(all(cells == 20), 'cells')
  end subroutine reductions_over_groups

  subroutine reductions_with_the_task_modifier()
    integer :: i, total, other, threads
    total = 0
    other = 0
    threads = 0
    !$omp parallel reduction(task, +: total)
    !$omp task in_reduction(+: total)
    total = total + 1
    !$omp end task
    !$omp atomic
    threads = threads + 1
    !$omp end parallel
    call expect_equal(total, threads, 'total')
    !$omp parallel do reduction(task, +: other)
    do i = 1, 50
      !$omp task in_reduction(+: other) firstprivate(i)
      other = other + i
      !$omp end task
    end do
    call expect_equal(other, 1275, 'other')
  end subroutine reductions_with_the_task_modifier

  subroutine run_time_schedules()
    integer :: i, total, cells(100)
    total = 0
    cells = 0
    !$omp parallel
    !$omp do schedule(dynamic, 3) reduction(+: total)
    do i = 1, 100
      total = total + i
    end do
    !$omp do schedule(guided)
    do i = 100, 1, -1
      cells(i) = cells(i) + 1
    end do
    !$omp do schedule(runtime)
    do i = 1, 100
      !$omp task firstprivate(i) shared(cells)
      cells(i) = cells(i) + 1
      !$omp end task
    end do
    !$omp end parallel
    call expect_equal(total, 5050, 'total')
    call expect(all(cells == 2), 'cells')
  end subroutine run_time_schedules

  subroutine ordered_loops_and_sections()
    integer :: i, next, done
    next = 1
    done = 0
    !$omp parallel
    !$omp do ordered schedule(dynamic)
    do i = 1, 40
      !$omp task shared(done)
      call bump(done)
      !$omp end task
      !$omp ordered
      call expect_equal(next, i, 'next')
      next = next + 1
      !$omp end ordered
    end do
    !$omp sections
    !$omp section
    !$omp task shared(done)
    call bump(done)
    !$omp end task
    !$omp section
    !$omp task shared(done)
    call bump(done)
    !$omp end task
    !$omp end sections
    call expect_equal(done, 42, 'done')
    !$omp end parallel
  end subroutine ordered_loops_and_sections
end module loops_cases

program loops
  use check
  use loops_cases
  implicit none
  call run_case('every_iteration_once', every_iteration_once)
  call run_case('collapsed_loops', collapsed_loops)
  call run_case('clauses_of_taskloop', clauses_of_taskloop)
  call run_case('wide_and_empty_loops', wide_and_empty_loops)
  call run_case('reductions_over_taskloops', reductions_over_taskloops)
  call run_case('reductions_over_groups', reductions_over_groups)
  call run_case('reductions_with_the_task_modifier', reductions_with_the_task_modifier)
  call run_case('run_time_schedules', run_time_schedules)
  call run_case('ordered_loops_and_sections', ordered_loops_and_sections)
end program loops
