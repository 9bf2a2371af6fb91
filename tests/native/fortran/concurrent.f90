! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! do concurrent, elemental, pure, where, forall
module m
  use iso_c_binding
  implicit none
contains
  elemental real(8) function act(z)
    real(8), intent(in) :: z
    act = tanh(z) + 0.1d0*z
  end function
  function f(x, n) result(s) bind(C, name="f")
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: y(n), z(n)
    integer :: i
    do concurrent (i = 1:int(n))
      y(i) = act(x(i))
    end do
    z = act(y*x)
    where (z > 0.3d0)
      z = z*z
    elsewhere
      z = exp(z)
    end where
    s = sum(z)
  end function
end module
