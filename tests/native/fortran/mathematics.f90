! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Mathematical intrinsics.
module mathematics_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    s = mod(x(1) * 7, 2d0) + modulo(-x(1) * 7, 2d0) + sign(x(2), -1d0) + x(1) ** x(2) + x(4) ** int(n) + max(x(1), x(2)) &
      + min(x(3), x(4)) + atan2(x(1), x(2)) + hypot(x(1), x(2)) + gamma(x(1)) + log_gamma(x(6)) + erf(x(2)) &
      + erfc(x(3)) + erfc_scaled(x(4)) + anint(x(1) + 0.2d0) + aint(x(6)) + dim(x(2), x(1)) + bessel_j0(x(3)) &
      + bessel_j1(x(2)) + bessel_jn(2, x(1)) + bessel_y0(x(2)) + x(1) ** 7 + x(2) ** (-3) + fraction(x(1) * 5) &
      + set_exponent(x(2), 2) + scale(x(4), 3) + nearest(x(4), 1.0) + asinh(x(1)) + acosh(1 + x(1)) + atanh(x(5)) &
      + asin(x(1)) + acos(x(3)) + sinh(x(1)) + cosh(x(2)) + tanh(x(3)) + tan(x(4)) + log10(x(2)) + spacing(x(1))
  end function
end module
