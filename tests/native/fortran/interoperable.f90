! at: 0.5,0.9,-0.3,0.7
! iso_c_binding: functions with VALUE arguments, structures, pointers to memory and to procedures, C's memory functions,
! real kinds, and integers of all kinds.
module interoperable_test
  use iso_c_binding
  implicit none
  type, bind(c) :: particle
    integer(c_int16_t) :: tag
    real(c_double) :: place(2)
    real(c_float) :: mass
    type(c_ptr) :: next
  end type
  abstract interface
    function one_number(v) bind(c)
      import :: c_double
      real(c_double), value :: v
      real(c_double) :: one_number
    end function
  end interface
  interface
    function c_malloc(size) bind(c, name='malloc')
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: size
      type(c_ptr) :: c_malloc
    end function
    subroutine c_free(memory) bind(c, name='free')
      import :: c_ptr
      type(c_ptr), value :: memory
    end subroutine
    function c_hypot(a, b) bind(c, name='hypot')
      import :: c_double
      real(c_double), value :: a, b
      real(c_double) :: c_hypot
    end function
  end interface
contains
  function cube(v) bind(c)
    real(c_double), value :: v
    real(c_double) :: cube
    cube = v ** 3
  end function
  function apply(code, v) result(r)
    type(c_funptr), value :: code
    real(8), intent(in) :: v
    real(8) :: r
    procedure(one_number), pointer :: p
    call c_f_procpointer(code, p)
    r = p(v)
  end function
  subroutine move(p) bind(c)
    type(particle), intent(inout) :: p
    p%place = p%place * 2 + p%mass
    p%tag = p%tag + 1_c_int16_t
  end subroutine
  function f(x, n) result(s) bind(c)
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(particle), target :: first, second
    type(particle), pointer :: at
    real(c_double), pointer :: numbers(:), square(:, :)
    type(c_ptr) :: memory
    integer(1) :: i1
    integer(2) :: i2
    integer(8) :: i8
    integer :: i
    first = particle(1_2, x(1:2), 0.5, c_null_ptr)
    second = particle(2_2, x(3:4), 0.25, c_loc(first))
    call move(first)
    call move(second)
    call c_f_pointer(second%next, at)
    s = at%place(1) * second%place(2) + at%tag
    memory = c_malloc(8 * n * n)
    call c_f_pointer(memory, numbers, [n * n])
    call c_f_pointer(memory, square, [n, n])
    do i = 1, int(n * n)
      numbers(i) = x(1 + mod(i, int(n))) * i
    end do
    s = s + sum(square(2, :) * square(:, 3)) / 100 + apply(c_funloc(cube), x(2))
    call c_free(memory)
    i1 = int(nint(s), 1)
    i2 = int(i1, 2) * 3_2
    i8 = ishft(int(i2, 8), 3)
    s = s + c_hypot(x(1), x(3)) * real(iand(i8, 12_8), 8) + popcnt(i8) * x(4)
  end function
end module
