! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Elemental and pure procedures, generic names, defined operators and assignment.
module elemental_test
  type :: vector
    real(8) :: u, v
  end type
  interface operator(+)
    module procedure plus
  end interface
  interface operator(*)
    module procedure times
  end interface
  interface operator(.cross.)
    module procedure cross
  end interface
  interface assignment(=)
    module procedure from_number
  end interface
  interface norm
    module procedure norm_vector, norm_array, norm_number
  end interface
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(vector) :: a, b, c
    real(8) :: r(6)
    a = vector(x(1), x(2))
    b = x(3)
    c = a + b * 2d0 .cross. a
    r = smooth(x(1:6), 0.5d0)
    s = norm(c) + norm(r) + norm(x(4)) + sum(smooth(smooth(r, x(5)), 1d0))
  end function
  elemental function plus(a, b) result(c)
    type(vector), intent(in) :: a, b
    type(vector) :: c
    c = vector(a%u + b%u, a%v + b%v)
  end function
  elemental function times(a, k) result(c)
    type(vector), intent(in) :: a
    real(8), intent(in) :: k
    type(vector) :: c
    c = vector(a%u * k, a%v * k)
  end function
  elemental function cross(a, b) result(c)
    type(vector), intent(in) :: a, b
    type(vector) :: c
    c = vector(a%u * b%v - a%v * b%u, a%u * b%u)
  end function
  elemental subroutine from_number(a, k)
    type(vector), intent(out) :: a
    real(8), intent(in) :: k
    a = vector(k, -k ** 2)
  end subroutine
  elemental function smooth(v, k) result(r)
    real(8), intent(in) :: v, k
    real(8) :: r
    r = v / (1 + k * v ** 2)
  end function
  function norm_vector(a) result(r)
    type(vector), intent(in) :: a
    real(8) :: r
    r = sqrt(a%u ** 2 + a%v ** 2)
  end function
  function norm_array(a) result(r)
    real(8), intent(in) :: a(:)
    real(8) :: r
    r = sqrt(sum(a ** 2))
  end function
  function norm_number(a) result(r)
    real(8), intent(in) :: a
    real(8) :: r
    r = abs(a)
  end function
end module
