! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! CSHIFT and EOSHIFT, with boundaries, along dimensions, by arrays.
module shifts_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(3, 2), b(2)
    a = reshape(x(1:6) ** 2, [3, 2])
    b = x(1:2)
    s = sum(cshift(x(1:6), 2) * x(1:6)) + sum(cshift(a, -1, 1) * a) + sum(cshift(a, [1, 2], dim=1) * a(:, 2:1:-1)) &
      + sum(eoshift(x(1:6), 1) * x(1:6)) + sum(eoshift(a, 1, boundary=b, dim=1) ** 2) + sum(eoshift(a, [-1, 1, 0], dim=2) * a)
  end function
end module
