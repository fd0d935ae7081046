! OpenMP's memory allocators in Fortran: traits, default allocator, memory and clauses.
module allocators_cases
  use check
  use omp_lib
  use, intrinsic :: iso_c_binding, only: c_ptr, c_size_t, c_associated, c_f_pointer, c_intptr_t
  implicit none

contains

  function make(partition, pool) result(handle)
    integer(omp_alloctrait_val_kind), intent(in) :: partition, pool
    integer(omp_allocator_handle_kind) :: handle
    type(omp_alloctrait) :: traits(3)
    traits(1) = omp_alloctrait(omp_atk_partition, partition)
    traits(2) = omp_alloctrait(omp_atk_pool_size, pool)
    traits(3) = omp_alloctrait(omp_atk_fallback, omp_atv_null_fb)
    handle = omp_init_allocator(omp_default_mem_space, 3, traits)
  end function make

  subroutine partitions_hold_data()
    integer(omp_allocator_handle_kind) :: handle
    integer(omp_alloctrait_val_kind), parameter :: ways(4) = [omp_atv_environment, &
      omp_atv_nearest, omp_atv_blocked, omp_atv_interleaved]
    type(c_ptr) :: memory
    integer, pointer :: values(:)
    integer :: way, i
    do way = 1, 4
      handle = make(ways(way), 1000000_omp_alloctrait_val_kind)
      memory = omp_alloc(400000_c_size_t, handle)
      call expect(c_associated(memory), 'memory is there')
      call c_f_pointer(memory, values, [100000])
      do i = 1, 100000
        values(i) = i * way
      end do
      call expect_equal(sum(values(1:100)), 5050 * way, 'sum')
      call expect_equal(values(100000), 100000 * way, 'last')
      call expect(.not. c_associated(omp_alloc(2000000_c_size_t, handle)), 'the pool is small')
      call omp_free(memory, handle)
      call omp_destroy_allocator(handle)
    end do
  end subroutine partitions_hold_data

  subroutine the_default_allocator()
    integer(omp_allocator_handle_kind) :: handle
    integer :: right
    handle = make(omp_atv_nearest, 1000_omp_alloctrait_val_kind)
    call omp_set_default_allocator(handle)
    right = 0
    !$omp parallel num_threads(3) reduction(+:right)
    if (omp_get_default_allocator() == handle) right = right + 1
    !$omp end parallel
    call expect_equal(right, 3, 'right')
    call omp_set_default_allocator(omp_default_mem_alloc)
    call expect(omp_get_default_allocator() == omp_default_mem_alloc, 'the default again')
    call omp_destroy_allocator(handle)
  end subroutine the_default_allocator

  subroutine allocate_clauses()
    integer :: values(50), total, i
    values = [(i, i=1, 50)]
    total = 0
    !$omp parallel num_threads(4) allocate(omp_default_mem_alloc: values) &
    !$omp& firstprivate(values) reduction(+:total)
    total = total + sum(values)
    values = 0
    !$omp end parallel
    call expect_equal(total, 4 * 1275, 'total')
  end subroutine allocate_clauses
end module allocators_cases

program allocators
  use check
  use allocators_cases
  implicit none
  call run_case('partitions_hold_data', partitions_hold_data)
  call run_case('the_default_allocator', the_default_allocator)
  call run_case('allocate_clauses', allocate_clauses)
end program allocators
