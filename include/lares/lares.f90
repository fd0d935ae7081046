! The Fortran interface of Lares: lares/lares.h and lares/memory.h, whose comments hold here, too.
! Compile this file with the program and link with liblares, for instance by pkg-config:
!
!     gfortran -fopenmp $(pkg-config --variable=includedir lares)/lares/lares.f90 app.f90 \
!       $(pkg-config --libs lares)
!
! Names and order of arguments are those of C. A range is c_loc(array) and its bytes, which the
! target or pointer attribute of `array` allows. What may be NULL in C is optional. A text is a
! type(c_ptr) to characters that end with a zero byte. Unsigned numbers are the signed kind of the
! same size.
module lares
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int32_t, c_int64_t, &
    c_null_ptr, c_ptr, c_size_t
  implicit none
  public

  private :: c_char, c_double, c_funptr, c_int, c_int32_t, c_int64_t, c_null_ptr, c_ptr, c_size_t

  ! enum lares_shake
  integer(c_int), parameter :: LARES_SHAKE_NOT = 0
  integer(c_int), parameter :: LARES_SHAKE_NEXT_REGION = 1
  integer(c_int), parameter :: LARES_SHAKE_NOW = 2
  integer(c_int), parameter :: LARES_SHAKE_TEAM = 3

  ! enum lares_distribution_kind
  integer(c_int), parameter :: LARES_FIRST_TOUCH = 0
  integer(c_int), parameter :: LARES_ON_DOMAIN = 1
  integer(c_int), parameter :: LARES_INTERLEAVED = 2
  integer(c_int), parameter :: LARES_CYCLIC = 3
  integer(c_int), parameter :: LARES_RANDOM = 4
  integer(c_int), parameter :: LARES_BLOCKED = 5
  integer(c_int), parameter :: LARES_LISTED = 6

  ! enum lares_memory_flags
  integer(c_int), parameter :: LARES_HUGE_PAGES = 1
  integer(c_int), parameter :: LARES_MOVE = 2
  integer(c_int), parameter :: LARES_STRICT = 4

  ! enum lares_owner_kind
  integer(c_int), parameter :: LARES_THREAD = 0
  integer(c_int), parameter :: LARES_TASK = 1
  integer(c_int), parameter :: LARES_TEAM = 2

  ! enum lares_next_touch_way
  integer(c_int), parameter :: LARES_WAY_AUTOMATIC = 0
  integer(c_int), parameter :: LARES_WAY_USERFAULT_THREAD = 1
  integer(c_int), parameter :: LARES_WAY_USERFAULT_SIGNAL = 2
  integer(c_int), parameter :: LARES_WAY_PROTECT = 3

  ! `domains` and `weights` are c_loc of arrays of integer(c_int) and integer(c_int32_t).
  type, bind(c) :: lares_distribution
    integer(c_int) :: kind = 0
    type(c_ptr) :: domains = c_null_ptr
    integer(c_size_t) :: domain_count = 0
    type(c_ptr) :: weights = c_null_ptr
    integer(c_size_t) :: block = 0
    integer(c_size_t) :: row = 0
    integer(c_int64_t) :: seed = 0
  end type lares_distribution

  type, bind(c) :: lares_move_report
    integer(c_int64_t) :: pages, in_place
    integer(c_int64_t) :: moved
    integer(c_int64_t) :: absent
    integer(c_int64_t) :: busy, no_room, denied, other
    integer(c_int) :: refused
  end type lares_move_report

  ! The caller sets `size` to c_sizeof of it.
  type, bind(c) :: lares_mark_report
    integer(c_size_t) :: size
    integer(c_int) :: way
    integer(c_int) :: system_calls_wait
    integer(c_int64_t) :: bytes
    integer(c_int64_t) :: left
  end type lares_mark_report

  interface

    ! --- lares.h -----------------------------------------------------------------------------

    function lares_version() bind(c)
      import
      type(c_ptr) :: lares_version
    end function lares_version

    function lares_active() bind(c)
      import
      integer(c_int) :: lares_active
    end function lares_active

    function lares_domain_count() bind(c)
      import
      integer(c_int) :: lares_domain_count
    end function lares_domain_count

    function lares_domain_processors(domain, processors, count) bind(c)
      import
      integer(c_int), value :: domain
      integer(c_int), intent(out), optional :: processors(*)
      integer(c_size_t), value :: count
      integer(c_size_t) :: lares_domain_processors
    end function lares_domain_processors

    function lares_distance(from, to) bind(c)
      import
      integer(c_int), value :: from, to
      integer(c_int) :: lares_distance
    end function lares_distance

    function lares_set_thread_affinity(memory, bytes, shake) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int), value :: shake
      integer(c_int) :: lares_set_thread_affinity
    end function lares_set_thread_affinity

    function lares_clear_thread_affinity() bind(c)
      import
      integer(c_int) :: lares_clear_thread_affinity
    end function lares_clear_thread_affinity

    function lares_set_load(work_left) bind(c)
      import
      real(c_double), value :: work_left
      integer(c_int) :: lares_set_load
    end function lares_set_load

    function lares_set_memory_intensity(intensity) bind(c)
      import
      real(c_double), value :: intensity
      integer(c_int) :: lares_set_memory_intensity
    end function lares_set_memory_intensity

    function lares_set_taskgroup_affinity(memory, bytes) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: lares_set_taskgroup_affinity
    end function lares_set_taskgroup_affinity

    ! --- memory.h ----------------------------------------------------------------------------

    function lares_memory_error() bind(c)
      import
      type(c_ptr) :: lares_memory_error
    end function lares_memory_error

    function lares_domain_here() bind(c)
      import
      integer(c_int) :: lares_domain_here
    end function lares_domain_here

    function lares_domain_node(domain) bind(c)
      import
      integer(c_int), value :: domain
      integer(c_int) :: lares_domain_node
    end function lares_domain_node

    function lares_domain_memory(domain, total, available) bind(c)
      import
      integer(c_int), value :: domain
      integer(c_int64_t), intent(out) :: total, available
      integer(c_int) :: lares_domain_memory
    end function lares_domain_memory

    function lares_blocked_rows(extents, dimensions, element) bind(c)
      import
      integer(c_size_t), intent(in) :: extents(*)
      integer(c_int), value :: dimensions
      integer(c_size_t), value :: element
      type(lares_distribution) :: lares_blocked_rows
    end function lares_blocked_rows

    function lares_alloc(bytes, how, flags) bind(c)
      import
      integer(c_size_t), value :: bytes
      type(lares_distribution), intent(in), optional :: how
      integer(c_int), value :: flags
      type(c_ptr) :: lares_alloc
    end function lares_alloc

    function lares_realloc(memory, bytes, how, flags) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(lares_distribution), intent(in), optional :: how
      integer(c_int), value :: flags
      type(c_ptr) :: lares_realloc
    end function lares_realloc

    function lares_free(memory) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_int) :: lares_free
    end function lares_free

    function lares_size(memory) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t) :: lares_size
    end function lares_size

    function lares_register(memory, bytes) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: lares_register
    end function lares_register

    function lares_unregister(memory) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_int) :: lares_unregister
    end function lares_unregister

    function lares_attach_thread(memory, bytes) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: lares_attach_thread
    end function lares_attach_thread

    function lares_attach_task(memory, bytes, domain) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int), value :: domain
      integer(c_int) :: lares_attach_task
    end function lares_attach_task

    function lares_attach_team(memory, bytes, team, domains, members) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int64_t), value :: team
      integer(c_int), intent(in) :: domains(*)
      integer(c_size_t), value :: members
      integer(c_int) :: lares_attach_team
    end function lares_attach_team

    function lares_set_next_team_affinity(memory, bytes, chunk, flags) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes, chunk
      integer(c_int), value :: flags
      integer(c_int) :: lares_set_next_team_affinity
    end function lares_set_next_team_affinity

    function lares_team_starts(domains, members) bind(c)
      import
      integer(c_int), intent(in) :: domains(*)
      integer(c_size_t), value :: members
      integer(c_int) :: lares_team_starts
    end function lares_team_starts

    function lares_owned(kind, id) bind(c)
      import
      integer(c_int), value :: kind
      integer(c_int64_t), value :: id
      integer(c_int64_t) :: lares_owned
    end function lares_owned

    function lares_homes(memory, bytes, pages, count, absent, unknown) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int64_t), intent(out) :: pages(*)
      integer(c_size_t), value :: count
      integer(c_int64_t), intent(out), optional :: absent, unknown
      integer(c_int) :: lares_homes
    end function lares_homes

    function lares_page_homes(memory, bytes, domains, count) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int), intent(out) :: domains(*)
      integer(c_size_t), value :: count
      integer(c_size_t) :: lares_page_homes
    end function lares_page_homes

    function lares_migrate(memory, bytes, domain, report) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int), value :: domain
      type(lares_move_report), intent(out), optional :: report
      integer(c_int) :: lares_migrate
    end function lares_migrate

    function lares_fetch(memory, bytes, report) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(lares_move_report), intent(out), optional :: report
      integer(c_int) :: lares_fetch
    end function lares_fetch

    function lares_distribute(memory, bytes, how, report) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(lares_distribution), intent(in) :: how
      type(lares_move_report), intent(out), optional :: report
      integer(c_int) :: lares_distribute
    end function lares_distribute

    ! `progress` is c_funloc of a bind(c) function of (argument, so_far): type(c_ptr), value and
    ! type(lares_move_report); its result is integer(c_int), 0 to stop.
    function lares_distribute_with_progress(memory, bytes, how, progress, argument, report) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      type(lares_distribution), intent(in) :: how
      type(c_funptr), value :: progress
      type(c_ptr), value :: argument
      type(lares_move_report), intent(out), optional :: report
      integer(c_int) :: lares_distribute_with_progress
    end function lares_distribute_with_progress

    function lares_migrate_on_next_touch(memory, bytes, chunk, way) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes, chunk
      integer(c_int), value :: way
      integer(c_int) :: lares_migrate_on_next_touch
    end function lares_migrate_on_next_touch

    function lares_attach_on_next_touch(memory, bytes, chunk, way) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes, chunk
      integer(c_int), value :: way
      integer(c_int) :: lares_attach_on_next_touch
    end function lares_attach_on_next_touch

    function lares_migrate_on_next_touch_with_report(memory, bytes, chunk, way, report) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes, chunk
      integer(c_int), value :: way
      type(lares_mark_report), intent(inout), optional :: report
      integer(c_int) :: lares_migrate_on_next_touch_with_report
    end function lares_migrate_on_next_touch_with_report

    function lares_attach_on_next_touch_with_report(memory, bytes, chunk, way, report) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes, chunk
      integer(c_int), value :: way
      type(lares_mark_report), intent(inout), optional :: report
      integer(c_int) :: lares_attach_on_next_touch_with_report
    end function lares_attach_on_next_touch_with_report

    function lares_settle(memory, bytes) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: lares_settle
    end function lares_settle

    function lares_touch(memory, bytes) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: lares_touch
    end function lares_touch

    function lares_replicate(memory, bytes) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: lares_replicate
    end function lares_replicate

    function lares_local(address) bind(c)
      import
      type(c_ptr), value :: address
      type(c_ptr) :: lares_local
    end function lares_local

    function lares_refresh(memory, bytes) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: lares_refresh
    end function lares_refresh

    function lares_unreplicate(memory) bind(c)
      import
      type(c_ptr), value :: memory
      integer(c_int) :: lares_unreplicate
    end function lares_unreplicate

    function lares_cost_read(from, home, bytes) bind(c)
      import
      integer(c_int), value :: from, home
      integer(c_size_t), value :: bytes
      real(c_double) :: lares_cost_read
    end function lares_cost_read

    function lares_cost_write(from, home, bytes) bind(c)
      import
      integer(c_int), value :: from, home
      integer(c_size_t), value :: bytes
      real(c_double) :: lares_cost_write
    end function lares_cost_write

    function lares_cost_migrate(home, to, bytes) bind(c)
      import
      integer(c_int), value :: home, to
      integer(c_size_t), value :: bytes
      real(c_double) :: lares_cost_migrate
    end function lares_cost_migrate

    function lares_break_even(overhead, before, after) bind(c)
      import
      real(c_double), value :: overhead, before, after
      real(c_double) :: lares_break_even
    end function lares_break_even

    function lares_migration_advice(home, to, bytes, text, room) bind(c)
      import
      integer(c_int), value :: home, to
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(out) :: text(*)
      integer(c_size_t), value :: room
      integer(c_int) :: lares_migration_advice
    end function lares_migration_advice

  end interface

end module lares
