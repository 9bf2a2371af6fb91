! DOT_PRODUCT of 10^6 numbers with themselves, shifted.
function f(x, n) result(s) bind(c)
  use iso_c_binding
  integer(c_size_t), value :: n
  real(c_double), intent(in) :: x(n)
  real(c_double) :: s
  s = dot_product(x(1:n - 1), x(2:n))
end function
