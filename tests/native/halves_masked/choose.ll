; The upper half of a union comes from one register, by a mask that another block has applied, the lower half from
; another register of 64 bits, by a mask behind the phi.
source_filename = "choose.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @seen(i64)

define { i64, i64 } @choose(ptr %stack, i64 %count) #0 {
entry:
  br label %next

next:
  %i = phi i64 [ 0, %entry ], [ %after, %both ]
  %low = phi i64 [ 0, %entry ], [ %newlow, %both ]
  %high = phi i64 [ 0, %entry ], [ %newhigh, %both ]
  %tag = phi i64 [ 0, %entry ], [ %newtag, %both ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %look, label %done

look:
  %at = getelementptr { i64, i64 }, ptr %stack, i64 %i
  %bits = load i64, ptr %at, align 8
  %tagat = getelementptr i8, ptr %at, i64 8
  %thistag = load i64, ptr %tagat, align 8
  %isinteger = icmp eq i64 %thistag, 0
  br i1 %isinteger, label %integer, label %number

integer:
  %narrow = trunc i64 %bits to i32
  %sum = add i32 %narrow, 5
  %wide = zext i32 %sum to i64
  call void @seen(i64 0)
  br label %both

number:
  %upper = and i64 %bits, -4294967296
  call void @seen(i64 1)
  br label %both

both:
  %newlow = phi i64 [ %wide, %integer ], [ %bits, %number ]
  %newhigh = phi i64 [ %high, %integer ], [ %upper, %number ]
  %newtag = phi i64 [ 0, %integer ], [ 7, %number ]
  %after = add i64 %i, 1
  br label %next

done:
  %half = and i64 %low, 4294967295
  %whole = or disjoint i64 %high, %half
  %first = insertvalue { i64, i64 } poison, i64 %whole, 0
  %result = insertvalue { i64, i64 } %first, i64 %tag, 1
  ret { i64, i64 } %result
}

attributes #0 = { noinline nounwind uwtable }
