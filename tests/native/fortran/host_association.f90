! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! internal procedure, host association, called directly; optional args; select case; exit/cycle; complex; real(4); real(16)? integer pow
module m
  use iso_c_binding
  implicit none
contains
  function f(x, n) result(s) bind(C, name="f")
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    complex(8) :: z
    real(4) :: r4
    integer :: i
    s = 0
    do i = 1, int(n)
      call acc(x(i))
      call acc(x(i), 0.3d0)
    end do
    z = cmplx(x(1), x(2), 8)
    z = exp(z)*z**3 / (1.0d0,2.0d0)
    r4 = real(x(3))
    s = s + real(z) + aimag(sqrt(z)) + abs(z) + mod(x(1)*7, 2d0) + sign(x(2), -1d0) + x(1)**x(2) + x(3)**(n) + max(x(1),x(2)) + atan2(x(1),x(2)) + hypot(x(1),x(2)) + gamma(x(1)) + erf(x(2)) + anint(x(1)+0.2d0) + dble(int(x(2))) + bessel_j0(x(3)) + modulo(-x(1)*7,2d0) + x(1)**7
  contains
    subroutine acc(v, w)
      real(8), intent(in) :: v
      real(8), optional, intent(in) :: w
      if (present(w)) then
        s = s + v*w
      else
        s = s + v*v
      end if
    end subroutine
  end function
end module
