! Dependences in Fortran: scalars, elements, sections, allocatables, objects, iterators, detach.
module depend_cases
  use check
  use omp_lib
  implicit none

contains

  subroutine a_chain()
    integer :: i, value
    value = 0
    !$omp parallel
    !$omp single
    do i = 1, 100
      !$omp task depend(inout: value) firstprivate(i) shared(value)
      call expect_equal(value, i - 1, 'value')
      value = i
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(value, 100, 'value')
  end subroutine a_chain

  subroutine readers_and_writers()
    integer :: round, i, value, bad
    value = 0
    bad = 0
    !$omp parallel
    !$omp single
    do round = 1, 20
      !$omp task depend(out: value) firstprivate(round) shared(value)
      call linger(2)
      value = round
      !$omp end task
      do i = 1, 5
        !$omp task depend(in: value) firstprivate(round) shared(value, bad)
        if (value /= round) call bump(bad)
        !$omp end task
      end do
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(bad, 0, 'bad')
  end subroutine readers_and_writers

  subroutine array_sections()
    integer :: cells(64), round, b
    cells = 0
    !$omp parallel
    !$omp single
    do round = 0, 9
      do b = 1, 64, 16
        !$omp task depend(inout: cells(b:b + 15)) firstprivate(b, round) shared(cells)
        call expect(all(cells(b:b + 15) == round), 'a block was taken too early')
        cells(b:b + 15) = cells(b:b + 15) + 1
        !$omp end task
      end do
    end do
    !$omp end single
    !$omp end parallel
    call expect(all(cells == 10), 'not all rounds ran')
  end subroutine array_sections

  subroutine columns_of_a_matrix()
    integer, allocatable :: matrix(:, :)
    integer :: round, j
    allocate (matrix(30, 12))
    matrix = 0
    !$omp parallel
    !$omp single
    do round = 0, 9
      do j = 1, 12
        !$omp task depend(inout: matrix(:, j)) firstprivate(j, round) shared(matrix)
        call expect(all(matrix(:, j) == round), 'a column was taken too early')
        matrix(:, j) = round + 1
        !$omp end task
      end do
    end do
    !$omp end single
    !$omp end parallel
    call expect(all(matrix == 10), 'not all rounds ran')
  end subroutine columns_of_a_matrix

  subroutine wavefront(grid)
    integer, intent(inout) :: grid(0:, 0:)
    integer :: i, j
    do j = 1, ubound(grid, 2)
      do i = 1, ubound(grid, 1)
        !$omp task depend(in: grid(i - 1, j), grid(i, j - 1)) depend(out: grid(i, j)) &
        !$omp&     firstprivate(i, j) shared(grid)
        grid(i, j) = mod(grid(i - 1, j) + grid(i, j - 1), 10007)
        !$omp end task
      end do
    end do
    !$omp taskwait
  end subroutine wavefront

  subroutine a_wavefront_on_an_assumed_shape()
    integer :: grid(0:14, 0:14), expected(0:14, 0:14), i, j
    grid = 0
    grid(0, :) = 1
    grid(:, 0) = 1
    expected = grid
    do j = 1, 14
      do i = 1, 14
        expected(i, j) = mod(expected(i - 1, j) + expected(i, j - 1), 10007)
      end do
    end do
    !$omp parallel
    !$omp single
    call wavefront(grid)
    !$omp end single
    !$omp end parallel
    call expect(all(grid == expected), 'another result than in order')
  end subroutine a_wavefront_on_an_assumed_shape

  subroutine mutually_exclusive_sets()
    integer :: i, value
    value = 0
    !$omp parallel
    !$omp single
    do i = 1, 100
      !$omp task depend(mutexinoutset: value) shared(value)
      value = value + 1
      !$omp end task
    end do
    !$omp task depend(in: value) shared(value)
    call expect_equal(value, 100, 'value')
    !$omp end task
    !$omp end single
    !$omp end parallel
    call expect_equal(value, 100, 'value')
  end subroutine mutually_exclusive_sets

  subroutine depend_objects()
    integer(omp_depend_kind) :: object
    integer :: i, value
    value = 0
    !$omp depobj(object) depend(inout: value)
    !$omp parallel
    !$omp single
    do i = 1, 40
      !$omp task depend(depobj: object) firstprivate(i) shared(value)
      call expect_equal(value, i - 1, 'value')
      value = i
      !$omp end task
    end do
    !$omp taskwait
    !$omp depobj(object) update(in)
    !$omp task depend(depobj: object) shared(value)
    call expect_equal(value, 40, 'value')
    !$omp end task
    !$omp end single
    !$omp end parallel
    !$omp depobj(object) destroy
  end subroutine depend_objects

  ! The last element is not looked at: gfortran 12 ends iterators one too early.
  subroutine iterators()
    integer :: cells(16), round, i
    cells = 0
    !$omp parallel
    !$omp single
    do round = 1, 8
      do i = 1, 16
        !$omp task depend(inout: cells(i)) firstprivate(i) shared(cells)
        cells(i) = cells(i) + 1
        !$omp end task
      end do
      !$omp task depend(iterator(k=1:16), in: cells(k)) firstprivate(round) shared(cells)
      call expect(all(cells(1:15) == round), 'the iterator did not name all')
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
  end subroutine iterators

  subroutine waiting_for_some()
    integer :: i, value
    !$omp parallel private(value)
    !$omp single
    do i = 1, 20
      value = 0
      !$omp task depend(out: value) shared(value)
      call linger(3)
      value = 1
      !$omp end task
      !$omp taskwait depend(in: value)
      call expect_equal(value, 1, 'after taskwait')
      !$omp task depend(inout: value) shared(value)
      value = 2
      !$omp end task
      !$omp task if(.false.) depend(in: value) shared(value)
      call expect_equal(value, 2, 'in the undeferred task')
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
  end subroutine waiting_for_some

  subroutine detached_tasks()
    integer(omp_event_handle_kind) :: event
    integer :: i, value
    !$omp parallel private(event, value)
    !$omp single
    do i = 1, 20
      value = 0
      !$omp task detach(event) depend(out: value) shared(value)
      value = 1
      !$omp end task
      !$omp task depend(inout: value) shared(value)
      call expect_equal(value, 1, 'value')
      value = 2
      !$omp end task
      call omp_fulfill_event(event)
      !$omp taskwait
      call expect_equal(value, 2, 'value')
      !$omp task detach(event) shared(value)
      value = 3
      call omp_fulfill_event(event)
      !$omp end task
      !$omp taskwait
      call expect_equal(value, 3, 'value')
    end do
    !$omp end single
    !$omp end parallel
  end subroutine detached_tasks

  subroutine priorities_and_affinity()
    integer :: cells(50), i
    cells = 0
    !$omp parallel
    !$omp single
    do i = 1, 50
      !$omp task priority(i) affinity(cells(i:i)) firstprivate(i)
      cells(i) = i
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(sum(cells), 1275, 'sum')
  end subroutine priorities_and_affinity
end module depend_cases

program depend
  use check
  use depend_cases
  implicit none
  call run_case('a_chain', a_chain)
  call run_case('readers_and_writers', readers_and_writers)
  call run_case('array_sections', array_sections)
  call run_case('columns_of_a_matrix', columns_of_a_matrix)
  call run_case('a_wavefront_on_an_assumed_shape', a_wavefront_on_an_assumed_shape)
  call run_case('mutually_exclusive_sets', mutually_exclusive_sets)
  call run_case('depend_objects', depend_objects)
  call run_case('iterators', iterators)
  call run_case('waiting_for_some', waiting_for_some)
  call run_case('detached_tasks', detached_tasks)
  call run_case('priorities_and_affinity', priorities_and_affinity)
end program depend
