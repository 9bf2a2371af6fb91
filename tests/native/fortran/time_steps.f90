! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! A time loop over allocatable fields in a module, with work arrays on the stack and in SAVE.
module time_steps_test
  real(8), allocatable, save :: u(:), h(:)
  integer, save :: count = 0
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    integer :: t
    call start(x)
    do t = 1, 40
      call step(0.01d0)
    end do
    s = sum(u * u) + sum(h)
    call finish
  end function
  subroutine start(x)
    real(8), intent(in) :: x(:)
    allocate (u(size(x) * 4), h(size(x) * 4))
    u = 0
    h = [x, x, x, x]
    count = 0
  end subroutine
  subroutine step(dt)
    real(8), intent(in) :: dt
    real(8) :: flux(size(u))
    real(8), save :: last = 0
    integer :: i, n
    n = size(u)
    flux = u * (1 + h)
    do i = 2, n - 1
      u(i) = u(i) - dt * (9.81d0 * (h(i + 1) - h(i - 1)) + u(i) * abs(u(i)))
      h(i) = h(i) - dt * (flux(i + 1) - flux(i - 1))
    end do
    last = h(1)
    count = count + 1
  end subroutine
  subroutine finish
    deallocate (u, h)
  end subroutine
end module
