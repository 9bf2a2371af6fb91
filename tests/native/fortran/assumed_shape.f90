! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Assumed shape, sections with strides, copies of arguments that must be contiguous.
module assumed_shape_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(6, 4)
    integer :: j
    do j = 1, 4
      a(:, j) = x(1:6) * j + sin(x(1:6))
    end do
    call scale(a(1:6:2, 2:4))
    call explicit(a(2, :), 4)
    call explicit(a(::3, 1), 2)
    s = total(a(6:1:-1, :)) + total(transpose(a))
  end function
  subroutine scale(b)
    real(8), intent(inout) :: b(:, 0:)
    integer :: i
    do i = 0, ubound(b, 2)
      b(:, i) = b(:, i) ** 2 * (i + 1)
    end do
  end subroutine
  subroutine explicit(b, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    b = b * b(1)
  end subroutine
  real(8) function total(b)
    real(8), intent(in) :: b(:, :)
    integer :: i, j
    total = 0
    do j = 1, size(b, 2)
      do i = 1, size(b, 1)
        total = total + b(i, j) * (i + 2 * j)
      end do
    end do
  end function
end module
