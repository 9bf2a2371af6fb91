! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! complex(8) and complex(4): arithmetic, powers, functions, reductions.
module complex_numbers_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    complex(8) :: z, w, list(3)
    complex(4) :: c
    integer :: i
    z = cmplx(x(1), x(2), 8)
    w = cmplx(x(3), x(4), 8)
    do i = 1, 3
      list(i) = z ** i * exp(w) / (1 + conjg(z) * i)
    end do
    c = cmplx(list(1), kind=4)
    s = real(sum(list)) + aimag(product(list)) + abs(dot_product(list, list(3:1:-1))) + aimag(sqrt(z) * log(w)) &
      + real(z ** w) + abs(sin(z) * cos(w) + tan(z)) + 0 * real(c)
  end function
end module
