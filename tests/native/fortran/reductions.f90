! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! SUM, PRODUCT, MAXVAL, MINVAL, NORM2, DOT_PRODUCT; with dimensions and masks.
module reductions_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(3, 4), m(4), c(3)
    integer :: i
    do i = 1, 4
      a(:, i) = x(1:3) * i + x(4:6) ** i
    end do
    m = sum(a, 1) + product(a, dim=1) + maxval(a, 1, a < 1) + minval(a, dim=1) + norm2(a, 1)
    c = sum(a, 2, a > 0.5d0) * maxval(a, dim=2)
    s = sum(m * m) + sum(c) + sum(a, mask=a > 0.3d0) + product(x) + maxval(a) - minval(a, mask=a > 0) &
      + norm2(a) + dot_product(a(:, 1), c) + dot_product(m(::2), a(1, ::2)) + count(a > 0.2d0) &
      + sum(maxloc(a)) + sum(minloc(a, 1)) + sum(findloc(a > 1, .true.)) + sum(count(a > 0, 1))
  end function
end module
