! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! assumed-shape dummies, sections with strides, noinline via separate subroutine
module m
  use iso_c_binding
  implicit none
contains
  recursive subroutine relax(a, b, depth)
    real(8), intent(in) :: a(:,:)
    real(8), intent(inout) :: b(:,:)
    integer, intent(in) :: depth
    integer :: i, j
    do j = 2, size(a,2)-1
      do i = 2, size(a,1)-1
        b(i,j) = b(i,j) + 0.25d0*(a(i-1,j)+a(i+1,j)+a(i,j-1)+a(i,j+1)) - a(i,j)**2
      end do
    end do
    if (depth > 0) call relax(a(::2,::2)*1.5d0, b(::2,::2), depth-1)
  end subroutine
  subroutine relax2(a, b, depth)
    real(8), intent(in) :: a(:,:)
    real(8), intent(inout) :: b(:,:)
    integer, intent(in) :: depth
    call relax(a, b, depth)
  end subroutine
  function f(x, n) result(s) bind(C, name="f")
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(n,n), b(n,n)
    integer :: i, j
    do j = 1, int(n)
      do i = 1, int(n)
        a(i,j) = x(i)*x(j)
      end do
    end do
    b = transpose(a)
    call relax2(a, b, 1)
    call relax2(b(:,:), a(:,:), 0)
    s = sum(a(1:n:2,:)*b(1:n:2,:))
  end function
end module
