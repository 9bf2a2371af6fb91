! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! pointers, targets, pointer swap, linked list, procedure pointers
module m
  use iso_c_binding
  implicit none
  type :: node
    real(8) :: v
    type(node), pointer :: next => null()
  end type
  abstract interface
    real(8) function fn(z)
      real(8), intent(in) :: z
    end function
  end interface
contains
  real(8) function sq(z)
    real(8), intent(in) :: z
    sq = z*z
  end function
  real(8) function cb(z)
    real(8), intent(in) :: z
    cb = z*z*z
  end function
  function f(x, n) result(s) bind(C, name="f")
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8), target, allocatable :: a(:), b(:)
    real(8), pointer :: p(:), q(:), tmp(:)
    type(node), pointer :: head, it
    procedure(fn), pointer :: pf
    integer :: i, t
    allocate(a(n), b(n)); a = x; b = 0
    p => a; q => b
    do t = 1, 4
      q(2:n-1) = p(2:n-1) + 0.1d0*(p(1:n-2) - 2*p(2:n-1) + p(3:n))**2
      q(1) = p(1); q(n) = p(n)
      tmp => p; p => q; q => tmp
    end do
    nullify(head)
    do i = 1, int(n)
      allocate(it); it%v = p(i); it%next => head; head => it
    end do
    s = 0
    do while (associated(head))
      if (head%v > 0.55d0) then; pf => sq; else; pf => cb; end if
      s = s + pf(head%v)
      it => head%next; deallocate(head); head => it
    end do
  end function
end module
