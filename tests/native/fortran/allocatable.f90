! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Allocatable arrays: reallocation by assignment, move_alloc, array constructors.
module allocatable_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8), allocatable :: a(:), b(:)
    integer :: t
    allocate (a(n))
    a = x
    do t = 1, 5
      b = a * a + 0.1d0 * a
      call move_alloc(b, a)
    end do
    a = [a, x(1), (x(t) * t, t = 1, int(n))]
    b = a(2:)
    a = b
    s = sum(a) + size(a)
    deallocate (a)
    if (allocated(a)) s = 0
  end function
end module
