! Calls of liblares from Fortran, by the module that is installed with the headers. Prints "ok" and
! the number of domains; ends with 1 at the first answer that is wrong.
module progress_check
  use, intrinsic :: iso_c_binding
  use lares
  implicit none
contains
  ! Goes on if it got what was handed over.
  function go_on_if_right(argument, so_far) bind(c) result(go_on)
    type(c_ptr), value :: argument
    type(lares_move_report), intent(in) :: so_far
    integer(c_int) :: go_on
    go_on = merge(1_c_int, 0_c_int, .not. c_associated(argument) .and. so_far%pages >= 0)
  end function go_on_if_right
end module progress_check

program fortran_interface
  use, intrinsic :: iso_c_binding
  use omp_lib
  use lares
  use progress_check
  implicit none
  integer, parameter :: n = 65536
  integer(c_size_t), parameter :: bytes = 8_c_size_t * n
  real(c_double), allocatable, target :: x(:)

  call versions()
  call machine_here()
  call allocation()
  allocate (x(n))
  x = 1
  call owners()
  call moving()
  call next_touch()
  call threads()
  call groups()
  call costs()
  if (sum(x) /= n) call wrong('the values')
  print '(a,i0)', 'ok ', lares_domain_count()

contains

  subroutine wrong(what)
    character(len=*), intent(in) :: what
    print '(2a)', 'wrong: ', what
    stop 1
  end subroutine wrong

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (.not. condition) call wrong(what)
  end subroutine expect

  ! A C text as Fortran has it.
  function text_of(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(text, letters, [1000])
    copy = ''
    do i = 1, 1000
      if (letters(i) == c_null_char) exit
      copy = copy//letters(i)
    end do
  end function text_of

  subroutine versions()
    character(len=:), allocatable :: version
    integer(c_int) :: active
    version = text_of(lares_version())
    call expect(verify(version, '0123456789.') == 0 .and. len(version) >= 5, 'version')
    active = lares_active()
    call expect(active == 0 .or. active == 1, 'active')
  end subroutine versions

  subroutine machine_here()
    integer(c_int) :: domains, here
    integer(c_int) :: processors(64)
    integer(c_int64_t) :: total, available
    domains = lares_domain_count()
    here = lares_domain_here()
    call expect(domains >= 1, 'domain_count')
    call expect(here >= 0 .and. here < domains, 'domain_here')
    call expect(lares_domain_processors(here, count=0_c_size_t) >= 1, 'domain_processors of NULL')
    call expect(lares_domain_processors(here, processors, 64_c_size_t) >= 1, 'domain_processors')
    call expect(processors(1) >= 0, 'the first processor')
    call expect(lares_domain_processors(domains, processors, 64_c_size_t) == 0, 'no such domain')
    call expect(lares_distance(here, here) == 10, 'distance to itself')
    call expect(lares_distance(domains, here) == 0, 'distance of no domain')
    call expect(lares_domain_node(domains) == -1, 'node of no domain')
    call expect(lares_domain_memory(here, total, available) == 0, 'domain_memory')
    call expect(total >= available .and. total > 0, 'memory of a domain')
  end subroutine machine_here

  subroutine allocation()
    type(lares_distribution) :: how
    type(c_ptr) :: memory
    real(c_double), pointer :: y(:)
    integer(c_size_t) :: extents(2)
    ! Rows of 1000 elements: the layout of the type shows in each field.
    extents = [100_c_size_t, 1000_c_size_t]
    how = lares_blocked_rows(extents, 2_c_int, 8_c_size_t)
    call expect(how%kind == LARES_BLOCKED .and. how%row == 8000, 'blocked_rows')
    call expect(how%domain_count == 0 .and. .not. c_associated(how%domains), 'all domains')
    memory = lares_alloc(800000_c_size_t, how, 0_c_int)
    call expect(c_associated(memory), 'alloc')
    call expect(lares_size(memory) == 800000, 'size')
    call c_f_pointer(memory, y, [100000])
    call expect(all(y == 0), 'zeroes')
    y = 3
    memory = lares_realloc(memory, 400000_c_size_t, flags=0_c_int)
    call expect(lares_size(memory) == 400000, 'realloc')
    call c_f_pointer(memory, y, [50000])
    call expect(all(y == 3), 'contents')
    call expect(lares_free(memory) == 0, 'free')
    how = lares_distribution(kind=99)
    call expect(.not. c_associated(lares_alloc(4096_c_size_t, how, 0_c_int)), 'no such kind')
    call expect(len(text_of(lares_memory_error())) > 0, 'memory_error')
  end subroutine allocation

  subroutine owners()
    integer(c_int) :: domains(1)
    integer(c_int64_t) :: team
    type(c_ptr) :: data
    data = c_loc(x)
    team = 77
    domains = lares_domain_here()
    call expect(lares_register(data, bytes) == 0, 'register')
    call expect(lares_attach_thread(data, bytes) == 0, 'attach_thread')
    call expect(lares_attach_task(data, bytes, domains(1)) == 0, 'attach_task')
    call expect(lares_attach_team(data, bytes, team, domains, 1_c_size_t) == 0, 'attach_team')
    call expect(lares_owned(LARES_TEAM, team) == bytes, 'owned')
    call expect(lares_owned(LARES_TEAM, team + 1) == 0, 'owned by nobody')
    call expect(lares_set_next_team_affinity(data, bytes, bytes, 0_c_int) == 0, 'next team')
    call expect(lares_team_starts(domains, 1_c_size_t) == 0, 'team_starts')
    call expect(lares_unregister(data) == 0, 'unregister')
  end subroutine owners

  subroutine moving()
    integer(c_int64_t) :: pages(64), absent, unknown
    integer(c_int) :: homes(200)
    integer(c_size_t) :: all_pages
    type(lares_move_report) :: report
    type(lares_distribution) :: how
    type(c_ptr) :: data
    data = c_loc(x)
    how%kind = LARES_ON_DOMAIN
    homes(1) = lares_domain_here()
    all_pages = lares_page_homes(data, bytes, homes, 200_c_size_t)
    call expect(all_pages >= 128 .and. all_pages <= 129, 'page_homes')
    call expect(lares_homes(data, bytes, pages, 64_c_size_t, absent, unknown) == 0, 'homes')
    call expect(sum(pages(1:lares_domain_count())) + absent + unknown == all_pages, 'all pages')
    call expect(lares_homes(data, bytes, pages, 64_c_size_t) == 0, 'homes without the rest')
    call expect(lares_fetch(data, bytes, report) == 0, 'fetch')
    call expect(report%pages == all_pages, 'report')
    call expect(lares_migrate(data, bytes, lares_domain_here()) == 0, 'migrate')
    call expect(lares_migrate(data, bytes, -1_c_int) == -1, 'migrate to nowhere')
    how = lares_distribution(kind=LARES_INTERLEAVED)
    call expect(lares_distribute(data, bytes, how, report) == 0, 'distribute')
    call expect(lares_distribute_with_progress(data, bytes, how, c_funloc(go_on_if_right), &
      c_null_ptr) == 0, 'distribute_with_progress')
  end subroutine moving

  subroutine next_touch()
    type(lares_mark_report) :: report
    type(c_ptr) :: data
    integer :: i
    data = c_loc(x)
    report%size = c_sizeof(report)
    call expect(lares_migrate_on_next_touch_with_report(data, bytes, 65536_c_size_t, &
      LARES_WAY_AUTOMATIC, report) == 0, 'migrate_on_next_touch_with_report')
    call expect(report%way > LARES_WAY_AUTOMATIC .and. report%way <= LARES_WAY_PROTECT, 'way')
    call expect(report%bytes + report%left > bytes/2 .and. report%bytes <= bytes, 'marked bytes')
    call expect(lares_touch(data, bytes) == 0, 'touch')
    call expect(lares_attach_on_next_touch(data, bytes, 0_c_size_t, LARES_WAY_AUTOMATIC) == 0, &
      'attach_on_next_touch')
    call expect(lares_settle(data, bytes) == 0, 'settle')
    call expect(lares_migrate_on_next_touch(data, bytes, 0_c_size_t, LARES_WAY_AUTOMATIC) == 0, &
      'migrate_on_next_touch')
    do i = 1, n
      call expect(x(i) == 1, 'a touched value')
    end do
    call expect(lares_attach_on_next_touch_with_report(data, bytes, 0_c_size_t, 99_c_int) == -1, &
      'no such way')
  end subroutine next_touch

  ! Each thread of a team says what is its own.
  subroutine threads()
    integer :: failed, member, first
    failed = 0
    !$omp parallel num_threads(2) private(member, first) reduction(+:failed)
    member = omp_get_thread_num()
    first = member*(n/2) + 1
    failed = failed + abs(lares_set_thread_affinity(c_loc(x(first)), bytes/2, LARES_SHAKE_NOT))
    failed = failed + abs(lares_set_load(1.0_c_double + member))
    failed = failed + abs(lares_set_memory_intensity(0.5_c_double))
    failed = failed + abs(lares_clear_thread_affinity())
    !$omp end parallel
    call expect(failed == 0, 'what threads say of themselves')
  end subroutine threads

  ! A group says what its tasks use, and that they use it no longer.
  subroutine groups()
    integer :: failed
    failed = 0
    !$omp parallel num_threads(2)
    !$omp single
    !$omp taskgroup
    failed = failed + abs(lares_set_taskgroup_affinity(c_loc(x), bytes))
    !$omp task shared(x)
    x(1) = 1
    !$omp end task
    failed = failed + abs(lares_set_taskgroup_affinity(c_null_ptr, 0_c_size_t))
    failed = failed + 1 + lares_set_taskgroup_affinity(c_loc(x), 0_c_size_t)
    !$omp end taskgroup
    !$omp end single
    !$omp end parallel
    call expect(failed == 0, 'what is said of a taskgroup')
  end subroutine groups

  subroutine costs()
    integer(c_int) :: here
    character(kind=c_char) :: text(200)
    here = lares_domain_here()
    text = ' '
    call expect(lares_cost_read(here, here, bytes) > 0, 'cost_read')
    call expect(lares_cost_write(here, here, bytes) > 0, 'cost_write')
    call expect(lares_cost_migrate(-1_c_int, here, bytes) < 0, 'cost_migrate')
    call expect(lares_break_even(10.0_c_double, 3.0_c_double, 1.0_c_double) == 5, 'break_even')
    call expect(lares_migration_advice(here, here, bytes, text, 200_c_size_t) == 0, 'advice')
    call expect(any(text == c_null_char) .and. text(1) /= ' ', 'the text of the advice')
  end subroutine costs

end program fortran_interface
