! Locks by gfortran, whose entry points and variables are not C's.
program locks
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: plain
  integer(omp_nest_lock_kind) :: nested
  integer :: total, twice, i
  total = 0
  twice = 0
  call omp_init_lock(plain)
  call omp_init_nest_lock(nested)
  !$omp parallel private(i) num_threads(3)
  do i = 1, 10
    call omp_set_lock(plain)
    total = total + 1
    call omp_unset_lock(plain)
    call omp_set_nest_lock(nested)
    if (omp_test_nest_lock(nested) == 2) twice = twice + 1
    call omp_unset_nest_lock(nested)
    call omp_unset_nest_lock(nested)
  end do
  !$omp end parallel
  if (omp_test_lock(plain)) call omp_unset_lock(plain)
  call omp_destroy_lock(plain)
  call omp_destroy_nest_lock(nested)
  if (total == 30 .and. twice == 30) print '(a)', 'ok'
end program
