! What the Fortran programs share; see check.h for the same in C.
module check
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  private
  public :: run_case, expect, expect_equal, bump, linger

  character(len=100) :: current = 'start'

  abstract interface
    subroutine case_body()
    end subroutine case_body
  end interface

  interface
    ! Ends the process at once: other threads may be inside a parallel region.
    subroutine end_process(status) bind(c, name='_exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine end_process
  end interface

contains

  logical function wanted(name)
    character(len=*), intent(in) :: name
    character(len=200) :: argument
    logical :: named
    integer :: i
    wanted = .false.
    named = .false.
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      if (argument(1:7) == '--skip=') then
        if (argument(8:) == name) return
      else
        named = .true.
        if (argument == name) then
          wanted = .true.
          return
        end if
      end if
    end do
    wanted = .not. named
  end function wanted

  subroutine run_case(name, body)
    character(len=*), intent(in) :: name
    procedure(case_body) :: body
    if (.not. wanted(name)) return
    current = name
    call body()
    print '(2a)', 'ok ', name
    flush (6)
  end subroutine run_case

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    print '(4a)', 'FAILED ', trim(current), ': ', what
    flush (6)
    call end_process(1_c_int)
  end subroutine expect

  subroutine expect_equal(actual, expected, what)
    integer, intent(in) :: actual, expected
    character(len=*), intent(in) :: what
    if (actual == expected) return
    print '(4a,i0,a,i0)', 'FAILED ', trim(current), ': ', what//' is ', actual, ', expected ', &
      expected
    flush (6)
    call end_process(1_c_int)
  end subroutine expect_equal

  ! Adds one, atomically.
  subroutine bump(counter)
    integer, intent(inout) :: counter
    !$omp atomic
    counter = counter + 1
  end subroutine bump

  ! Some microseconds of work, to widen the windows in which a wrong order shows.
  subroutine linger(units)
    integer, intent(in) :: units
    integer, volatile :: left
    left = units*100
    do while (left > 0)
      left = left - 1
    end do
  end subroutine linger
end module check
