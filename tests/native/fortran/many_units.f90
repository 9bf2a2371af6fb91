! at: 0.5,0.9,-0.3,0.7
! Several files open at once, a restart file that is written, read by another procedure and written again in a time loop,
! end-of-file by END= and IOSTAT, INQUIRE by file, implied do in lists, numbers kept in files across many steps.
module many_units_test
  implicit none
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s, u(8), history
    integer :: step, i, log
    logical :: there
    u = [(x(1 + mod(i, 4)) * i, i = 1, 8)]
    open (newunit=log, form='unformatted', status='scratch')
    do step = 1, 12
      do i = 2, 7
        u(i) = u(i) + 0.1d0 * (u(i + 1) - 2 * u(i) + u(i - 1)) * x(2)
      end do
      call save_state(u, step)
      u = 0
      call load_state(u, step)
      write (log) step, (u(i), i = 2, 8, 3)
    end do
    inquire (file='many_units.restart', exist=there)
    if (.not. there) error stop 'the restart file is missing'
    open (unit=41, file='many_units.restart')
    close (41, status='delete')
    rewind (log)
    history = 0
    do
      read (log, end=100) step, (u(i), i = 1, 3)
      history = history + sum(u(1:3) ** 2) / step
    end do
100 close (log)
    s = history + u(5) * x(1)
  end function
  subroutine save_state(u, step)
    real(8), intent(in) :: u(:)
    integer, intent(in) :: step
    open (unit=41, file='many_units.restart', form='unformatted', access='stream', status='replace')
    write (41) step, size(u), u(8:1:-1)
    close (41)
  end subroutine
  subroutine load_state(u, step)
    real(8), intent(out) :: u(:)
    integer, intent(in) :: step
    integer :: at, count, status
    real(8) :: more
    open (unit=42, file='many_units.restart', form='unformatted', access='stream', status='old')
    read (42) at, count
    if (at /= step) error stop 'another step'
    read (42) u(count:1:-1)
    read (42, iostat=status) more
    if (status == 0) error stop 'the file is too long'
    close (42)
  end subroutine
end module
