! at: 0.5,0.9
! message: numbers of type __float128.*cannot be differentiated
function f(x, n) result(s) bind(c)
  use iso_c_binding
  integer(c_size_t), value :: n
  real(c_double), intent(in) :: x(n)
  real(c_double) :: s
  real(16) :: q
  q = x(1)
  q = q * x(2) + 1
  s = real(q, 8)
end function
