! at: 0.5,0.9,-0.3,0.7
! Derived types with kind parameters, enumerators, SEQUENCE, arrays of pointers, nested allocatables, CLASS arguments.
module generic_kinds_test
  use iso_c_binding
  type :: grid(k)
    integer, kind :: k = 8
    real(k) :: h(3)
  end type
  type :: old
    sequence
    real(8) :: a, b
    integer :: n
  end type
  type :: cell
    real(8), pointer :: value => null()
  end type
  type :: tree
    real(8) :: v = 0
    type(tree), allocatable :: left, right
  end type
  enum, bind(c)
    enumerator :: low = 2, high
  end enum
contains
  function f(x, n) result(s) bind(c)
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(grid) :: g
    type(old) :: o
    type(cell) :: cells(4)
    type(tree) :: root, copy
    real(8), target :: store(4)
    integer :: i
    g%h = x(1:3) ** 2
    o = old(x(1), x(2), high)
    store = x(1:4)
    do i = 1, 4
      cells(i)%value => store(5 - i)
      call insert(root, cells(i)%value)
    end do
    cells(1)%value = cells(1)%value * o%a
    copy = root
    copy%left%v = copy%left%v * 3
    s = sum(g%h) + o%a * o%b * o%n + sum(store * x(1:4)) + total(root) + total(copy) ** 2
  end function
  recursive subroutine insert(t, v)
    class(tree), intent(inout) :: t
    real(8), intent(in) :: v
    if (v < 0.6d0) then
      if (.not. allocated(t%left)) allocate (t%left)
      t%left%v = t%left%v + v ** 2
    else
      if (.not. allocated(t%right)) allocate (t%right)
      t%right%v = t%right%v + v ** 3
    end if
    t%v = t%v + v
  end subroutine
  recursive function total(t) result(r)
    type(tree), intent(in) :: t
    real(8) :: r
    r = t%v * 2
    if (allocated(t%left)) r = r + total(t%left)
    if (allocated(t%right)) r = r + total(t%right)
  end function
end module
