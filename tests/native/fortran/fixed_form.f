c at: 0.5,0.9,-0.3,0.7,0.2,1.1
c Fixed form: COMMON, BLOCK DATA, EQUIVALENCE, SAVE, ENTRY, statement functions, alternate returns, assumed size,
c arithmetic IF, computed GO TO, DATA, labels.
      block data start
      common /state/ w(3), scale
      real*8 w, scale
      data w /1d0, 2d0, 3d0/, scale /0.5d0/
      end

      subroutine sums(a, n, r, *, *)
      integer n, i
      real*8 a(*), r, first
      r = 0d0
      do 10 i = 1, n
        r = r + a(i) ** 2
   10 continue
      if (r .gt. 1d0) return 1
      return 2
      entry again(a, n, r)
      r = first(a) * n
      end

      real*8 function first(a)
      real*8 a(*)
      first = a(1) * a(2)
      end

      subroutine advance(u, n)
      integer n, i, k
      real*8 u(n), half, y, t(4), e(2, 2), last
      equivalence (t(1), e(1, 1))
      common /state/ w(3), scale
      real*8 w, scale
      save last
      data last /0d0/
      half(y) = 0.5d0 * y + w(1)
      do 20 i = 1, 4
        t(i) = u(i) * scale
   20 continue
      u(1) = e(1, 2) * e(2, 1)
      do 50 i = 1, n
        k = mod(i, 3) + 1
        go to (30, 40), k
        u(i) = half(u(i))
        go to 50
   30   u(i) = u(i) + w(2)
        if (u(i)) 45, 45, 50
   40   u(i) = u(i) * w(3)
   45   u(i) = u(i) - 1d0
   50 continue
      last = u(n)
      end

      real*8 function f(x, n) bind(c)
      integer*8, value :: n
      real*8 x(n), u(6), r
      integer i
      common /state/ w(3), scale
      real*8 w, scale
      do 60 i = 1, 6
        u(i) = x(i)
   60 continue
      scale = x(1) + 1d0
      do 70 i = 1, 3
        call advance(u, 6)
   70 continue
      call sums(u, 6, r, *80, *90)
   80 r = r * 2d0
   90 f = r
      call again(x, 3, r)
      f = f + r + u(4)
      end
