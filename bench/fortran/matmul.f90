! MATMUL of matrices of 500 x 500.
function f(x, n) result(s) bind(c)
  use iso_c_binding
  integer(c_size_t), value :: n
  real(c_double), intent(in) :: x(n)
  real(c_double) :: s
  real(8), allocatable :: a(:, :), b(:, :), c(:, :)
  a = reshape(x(1:250000), [500, 500])
  b = reshape(x(250001:500000), [500, 500])
  c = matmul(a, b)
  s = sum(c)
end function
