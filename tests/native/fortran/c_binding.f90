! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! bind(c), c_f_pointer, c_loc, structs of C, procedures by address.
module c_binding_test
  use iso_c_binding
  type, bind(c) :: pair
    real(c_double) :: a
    integer(c_int) :: k
    real(c_double) :: b
  end type
  abstract interface
    function one(v) bind(c)
      import c_double
      real(c_double), value :: v
      real(c_double) :: one
    end function
  end interface
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(pair), target :: p
    type(c_ptr) :: address
    type(pair), pointer :: q
    real(c_double), pointer :: v(:)
    real(c_double), target :: store(6)
    store = x(1:6) ** 2
    p = pair(x(1), 3, x(2))
    address = c_loc(p)
    call c_f_pointer(address, q)
    q%a = q%a * q%b * q%k
    call c_f_pointer(c_loc(store), v, [3])
    v = v + p%a
    s = sum(store) + apply(c_funloc(bump), x(3))
  end function
  function bump(v) bind(c)
    real(c_double), value :: v
    real(c_double) :: bump
    bump = v ** 3 * 2
  end function
  function apply(address, v) result(r)
    type(c_funptr), intent(in) :: address
    real(8), intent(in) :: v
    procedure(one), pointer :: g
    real(8) :: r
    call c_f_procpointer(address, g)
    r = g(v) * v
  end function
end module
