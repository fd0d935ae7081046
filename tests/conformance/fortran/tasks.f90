! Tasks in Fortran: data, recursion, waiting, groups, final and undeferred tasks.
module tasks_cases
  use check
  use omp_lib
  implicit none

  type :: point
    integer :: x = 0
    real(8) :: y = 0
    integer, allocatable :: tags(:)
  end type point

contains

  subroutine firstprivate_scalars()
    integer :: i, seen(100)
    seen = 0
    !$omp parallel
    !$omp single
    do i = 1, 100
      !$omp task firstprivate(i) shared(seen)
      seen(i) = 3*i
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    do i = 1, 100
      call expect_equal(seen(i), 3*i, 'seen')
    end do
  end subroutine firstprivate_scalars

  subroutine firstprivate_arrays()
    integer :: i, j, bad, block(50)
    bad = 0
    !$omp parallel private(block)
    !$omp single
    do i = 1, 40
      do j = 1, 50
        block(j) = i + j
      end do
      !$omp task firstprivate(i, block) private(j) shared(bad)
      do j = 1, 50
        if (block(j) /= i + j) call bump(bad)
      end do
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(bad, 0, 'bad')
  end subroutine firstprivate_arrays

  subroutine firstprivate_allocatables()
    integer :: i, bad
    integer, allocatable :: numbers(:)
    bad = 0
    !$omp parallel private(numbers)
    !$omp single
    do i = 1, 40
      allocate (numbers(i))
      numbers = i
      !$omp task firstprivate(i, numbers) shared(bad)
      if (.not. allocated(numbers)) then
        call bump(bad)
      else if (size(numbers) /= i .or. any(numbers /= i)) then
        call bump(bad)
      end if
      !$omp end task
      deallocate (numbers)
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(bad, 0, 'bad')
  end subroutine firstprivate_allocatables

  subroutine shared_allocatables()
    integer :: i
    integer, allocatable :: numbers(:)
    allocate (numbers(100))
    numbers = 0
    !$omp parallel
    !$omp single
    do i = 1, 100
      !$omp task firstprivate(i) shared(numbers)
      numbers(i) = numbers(i) + i
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(sum(numbers), 5050, 'sum')
  end subroutine shared_allocatables

  subroutine allocated_inside_a_task()
    integer :: i, bad
    bad = 0
    !$omp parallel
    !$omp single
    do i = 1, 40
      !$omp task firstprivate(i) shared(bad)
      call allocate_and_check(i, bad)
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(bad, 0, 'bad')
  end subroutine allocated_inside_a_task

  subroutine allocate_and_check(length, bad)
    integer, intent(in) :: length
    integer, intent(inout) :: bad
    integer, allocatable :: numbers(:)
    integer :: j
    allocate (numbers(length))
    do j = 1, length
      !$omp task firstprivate(j) shared(numbers)
      numbers(j) = j
      !$omp end task
    end do
    !$omp taskwait
    if (sum(numbers) /= length*(length + 1)/2) call bump(bad)
  end subroutine allocate_and_check

  subroutine assumed_shape_arrays()
    integer :: cells(20, 10)
    cells = 0
    !$omp parallel
    !$omp single
    call add_by_columns(cells)
    call add_by_columns(cells(1:20:2, :))
    !$omp end single
    !$omp end parallel
    call expect_equal(sum(cells(1:20:2, :)), 2*100, 'odd rows')
    call expect_equal(sum(cells(2:20:2, :)), 100, 'even rows')
  end subroutine assumed_shape_arrays

  subroutine add_by_columns(array)
    integer, intent(inout) :: array(:, :)
    integer :: j
    do j = 1, size(array, 2)
      !$omp task firstprivate(j) shared(array)
      array(:, j) = array(:, j) + 1
      !$omp end task
    end do
    !$omp taskwait
  end subroutine add_by_columns

  subroutine derived_types_and_pointers()
    type(point) :: item
    integer, target :: cells(30)
    integer, pointer :: pointer_to
    integer :: i, bad
    bad = 0
    cells = 0
    !$omp parallel private(item, pointer_to)
    !$omp single
    do i = 1, 30
      item%x = i
      item%y = 0.5d0*i
      pointer_to => cells(i)
      !$omp task firstprivate(item, pointer_to, i) shared(bad)
      if (item%x /= i .or. item%y /= 0.5d0*i) call bump(bad)
      pointer_to = i
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(bad, 0, 'bad')
    call expect_equal(sum(cells), 465, 'sum')
  end subroutine derived_types_and_pointers

  subroutine character_strings()
    character(len=20) :: text
    integer :: i, bad
    bad = 0
    !$omp parallel private(text)
    !$omp single
    do i = 1, 30
      write (text, '(a,i0)') 'task ', i
      !$omp task firstprivate(text, i) shared(bad)
      call check_text(text, i, bad)
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(bad, 0, 'bad')
  end subroutine character_strings

  subroutine check_text(text, number, bad)
    character(len=*), intent(in) :: text
    integer, intent(in) :: number
    integer, intent(inout) :: bad
    character(len=20) :: expected
    write (expected, '(a,i0)') 'task ', number
    if (text /= expected) call bump(bad)
  end subroutine check_text

  recursive integer function fib(n) result(value)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      value = n
      return
    end if
    !$omp task shared(a) firstprivate(n)
    a = fib(n - 1)
    !$omp end task
    !$omp task shared(b) firstprivate(n)
    b = fib(n - 2)
    !$omp end task
    !$omp taskwait
    value = a + b
  end function fib

  subroutine fibonacci()
    integer :: value
    !$omp parallel
    !$omp single
    value = fib(16)
    !$omp end single
    !$omp end parallel
    call expect_equal(value, 987, 'fib')
    call expect_equal(fib(10), 55, 'fib outside of a region')
  end subroutine fibonacci

  subroutine undeferred_and_final()
    integer :: i, value
    !$omp parallel private(value)
    !$omp single
    do i = 1, 30
      value = 0
      !$omp task if(.false.) shared(value)
      value = 1
      !$omp end task
      call expect_equal(value, 1, 'undeferred')
      !$omp task final(.true.)
      call final_children()
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
  end subroutine undeferred_and_final

  subroutine final_children()
    integer :: done
    call expect(omp_in_final(), 'final')
    done = 0
    !$omp task shared(done)
    done = 1
    !$omp end task
    call expect_equal(done, 1, 'included')
  end subroutine final_children

  subroutine groups_wait_for_descendants()
    integer :: round, i, done
    !$omp parallel private(done)
    !$omp single
    do round = 1, 10
      done = 0
      !$omp taskgroup
      do i = 1, 10
        !$omp task shared(done)
        !$omp task shared(done)
        call bump(done)
        !$omp end task
        call bump(done)
        !$omp end task
      end do
      !$omp end taskgroup
      call expect_equal(done, 20, 'done')
    end do
    !$omp end single
    !$omp end parallel
  end subroutine groups_wait_for_descendants

  subroutine untied_tasks()
    integer :: i, total
    total = 0
    !$omp parallel
    !$omp single
    do i = 1, 50
      !$omp task untied firstprivate(i) shared(total)
      !$omp taskyield
      call add(i, total)
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal(total, 1275, 'total')
  end subroutine untied_tasks

  subroutine add(value, total)
    integer, intent(in) :: value
    integer, intent(inout) :: total
    !$omp atomic
    total = total + value
  end subroutine add

  subroutine workshare_completes_tasks()
    integer :: cells(50), done
    done = 0
    !$omp parallel
    !$omp single
    !$omp task shared(done)
    call bump(done)
    !$omp end task
    !$omp end single nowait
    !$omp workshare
    cells = 3
    cells = cells + 1
    !$omp end workshare
    call expect_equal(done, 1, 'done')
    !$omp end parallel
    call expect_equal(sum(cells), 200, 'cells')
  end subroutine workshare_completes_tasks

  subroutine nested_regions()
    integer :: outer, inner
    outer = 0
    inner = 0
    call omp_set_max_active_levels(2)
    !$omp parallel num_threads(2)
    !$omp task shared(outer)
    call bump(outer)
    !$omp end task
    !$omp parallel num_threads(2)
    !$omp single
    !$omp task shared(inner)
    call bump(inner)
    !$omp end task
    !$omp end single
    !$omp end parallel
    !$omp end parallel
    call expect_equal(inner, outer, 'inner')
  end subroutine nested_regions

  subroutine nestable_locks()
    integer(omp_nest_lock_kind) :: lock
    integer :: i, value
    value = 0
    call omp_init_nest_lock(lock)
    !$omp parallel
    !$omp single
    do i = 1, 30
      !$omp task shared(lock, value)
      call omp_set_nest_lock(lock)
      !$omp task if(.false.)
      call linger(1)
      !$omp end task
      !$omp taskwait
      call expect_equal(omp_test_nest_lock(lock), 2, 'nesting')
      value = value + 1
      call omp_unset_nest_lock(lock)
      call omp_unset_nest_lock(lock)
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call omp_destroy_nest_lock(lock)
    call expect_equal(value, 30, 'value')
  end subroutine nestable_locks

  subroutine settings_do_not_leak()
    integer :: here, i
    !$omp parallel private(here)
    !$omp single
    here = omp_get_max_threads()
    do i = 1, 10
      !$omp task firstprivate(here, i)
      call expect_equal(omp_get_max_threads(), here, 'inherited')
      call omp_set_num_threads(2 + i)
      call expect_equal(omp_get_max_threads(), 2 + i, 'own')
      !$omp end task
    end do
    !$omp taskwait
    call expect_equal(omp_get_max_threads(), here, 'kept')
    !$omp end single
    !$omp end parallel
  end subroutine settings_do_not_leak
end module tasks_cases

program tasks
  use check
  use tasks_cases
  implicit none
  call run_case('firstprivate_scalars', firstprivate_scalars)
  call run_case('firstprivate_arrays', firstprivate_arrays)
  call run_case('firstprivate_allocatables', firstprivate_allocatables)
  call run_case('shared_allocatables', shared_allocatables)
  call run_case('allocated_inside_a_task', allocated_inside_a_task)
  call run_case('assumed_shape_arrays', assumed_shape_arrays)
  call run_case('derived_types_and_pointers', derived_types_and_pointers)
  call run_case('character_strings', character_strings)
  call run_case('fibonacci', fibonacci)
  call run_case('undeferred_and_final', undeferred_and_final)
  call run_case('groups_wait_for_descendants', groups_wait_for_descendants)
  call run_case('untied_tasks', untied_tasks)
  call run_case('workshare_completes_tasks', workshare_completes_tasks)
  call run_case('nested_regions', nested_regions)
  call run_case('nestable_locks', nestable_locks)
  call run_case('settings_do_not_leak', settings_do_not_leak)
end program tasks
