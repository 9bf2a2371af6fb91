! at: 0.5,0.9,-0.3,0.7
! Lists and trees of pointers, nodes that are allocated and freed, recursion over them, pointers to sections with strides,
! pointers that change their targets, and pointer function results.
module linked_list_test
  implicit none
  type node
    real(8) :: value
    type(node), pointer :: next => null(), left => null(), right => null()
  end type
contains
  recursive subroutine insert(root, value)
    type(node), pointer, intent(inout) :: root
    real(8), intent(in) :: value
    if (.not. associated(root)) then
      allocate (root)
      root%value = value
    else if (value < root%value) then
      call insert(root%left, value)
    else
      call insert(root%right, value)
    end if
  end subroutine
  recursive function weigh(root, depth) result(s)
    type(node), pointer, intent(in) :: root
    integer, intent(in) :: depth
    real(8) :: s
    s = 0
    if (.not. associated(root)) return
    s = weigh(root%left, depth + 1) + depth * root%value ** 2 + weigh(root%right, depth + 1) * root%value
  end function
  recursive subroutine remove(root)
    type(node), pointer, intent(inout) :: root
    if (.not. associated(root)) return
    call remove(root%left)
    call remove(root%right)
    deallocate (root)
  end subroutine
  function larger(a, b) result(p)
    real(8), pointer, intent(in) :: a(:), b(:)
    real(8), pointer :: p(:)
    p => b
    if (sum(a) > sum(b)) p => a
  end function
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(node), pointer :: root, list, at
    real(8), target :: grid(4, 6)
    real(8), pointer :: row(:), odd(:), best(:), corner(:, :)
    integer :: i
    root => null()
    list => null()
    do i = 1, 12
      call insert(root, x(1 + mod(i, 4)) * sin(i * 1d0))
      allocate (at)
      at%value = x(1 + mod(i, 4)) * i
      at%next => list
      list => at
    end do
    s = weigh(root, 1)
    call remove(root)
    do while (associated(list))
      s = s + list%value * x(1)
      at => list%next
      deallocate (list)
      list => at
    end do
    do i = 1, 6
      grid(:, i) = x * i
    end do
    row => grid(2, :)
    odd => grid(1, 1:6:2)
    row = row * 2
    best => larger(row(1:5:2), odd)
    best = best ** 2
    corner(0:, 0:) => grid(1:4:3, 5:6)
    corner(1, 0) = corner(0, 1) * x(3)
    s = s + sum(grid ** 2) / 100 + sum(best)
  end function
end module
