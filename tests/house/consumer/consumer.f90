! As consumer.c: prints the version and whether Lares schedules the tasks.
program consumer
  use, intrinsic :: iso_c_binding
  use lares
  implicit none
  character(kind=c_char), pointer :: letters(:)
  integer :: length
  call c_f_pointer(lares_version(), letters, [100])
  length = 0
  do while (letters(length + 1) /= c_null_char)
    length = length + 1
  end do
  print '(*(a))', letters(1:length), ' ', merge('1', '0', lares_active() /= 0)
end program consumer
