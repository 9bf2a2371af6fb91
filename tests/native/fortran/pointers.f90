! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Pointers to sections, with bounds, remapped, swapped; linked lists.
module pointers_test
  type :: node
    real(8) :: value
    type(node), pointer :: next => null()
  end type
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8), target :: a(6), m(2, 3)
    real(8), pointer :: p(:), q(:), r(:, :), t(:)
    type(node), pointer :: head, now
    integer :: i
    a = x(1:6)
    p => a(1:6:2)
    q(0:) => a(2:6:2)
    r(1:2, 1:3) => a
    do i = 1, 3
      t => p
      p => q
      q => t
      p(lbound(p, 1)) = p(lbound(p, 1)) * r(2, i) + i
    end do
    m = r
    allocate (t(3))
    t = m(1, :) * m(2, :)
    nullify (head)
    do i = 1, 6
      allocate (now)
      now%value = a(i) * x(1)
      now%next => head
      head => now
    end do
    s = sum(t)
    do while (associated(head))
      now => head
      s = s + head%value * sin(s)
      head => head%next
      deallocate (now)
    end do
    deallocate (t)
  end function
end module
