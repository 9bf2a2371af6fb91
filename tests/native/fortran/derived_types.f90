! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Derived types with allocatable and pointer components, default values, nesting, arrays of them.
module derived_types_test
  type :: field
    real(8), allocatable :: v(:)
    real(8) :: next(2) = [1d0, 2d0]
    real(8) :: scale = 3
    real(8), pointer :: p(:) => null()
  end type
  type :: pair
    type(field) :: left, right
    real(8) :: weight = 0.5d0
  end type
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(field) :: g, h
    type(pair), allocatable :: list(:)
    integer :: i
    g = make(x)
    h = g
    h%v = h%v * 2
    g%next = h%next
    allocate (list(3))
    do i = 1, 3
      list(i)%left = h
      list(i)%left%v(1) = x(i) * list(i)%weight
      list(i)%right = field(v=x(i:6))
    end do
    list = [list(3), list(1), list(2), list(1)]
    s = sum(g%v) + sum(h%v * h%next) + g%scale
    do i = 1, size(list)
      s = s + sum(list(i)%left%v) * i + sum(list(i)%right%v ** 2)
    end do
  end function
  function make(x) result(g)
    real(8), intent(in) :: x(:)
    type(field) :: g
    g%v = x ** 2
    g%next = x(1:2) * x(3)
    g%scale = g%scale + x(4) ** 3
  end function
end module
