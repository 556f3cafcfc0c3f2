;; The engine behind is-json.ts: steps through a window of bytes by a table of transitions. What the table says is JSON's
;; grammar and stands in json-grammar.ts; here are only the steps, the stack of open containers, and the short way through
;; strings, which are nearly all of a body: sixteen bytes at a time.
(module
  ;; 0: the table, 256 bytes for each state. 16384: the window. 81920 and up: one byte for each open container.
  (memory (export "memory") 4)

  (global $depth (export "depth") (mut i32) (i32.const 0))
  ;; Whether the string that is being read is a member's name.
  (global $name (mut i32) (i32.const 0))

  ;; Steps from the window's first byte to `end`; answers the state after it, or 0: not JSON.
  (func (export "run") (param $end i32) (param $state i32) (result i32)
    (local $at i32) (local $next i32) (local $mask i32) (local $bytes v128)
    (local.set $at (i32.const 16384))
    (local.set $end (i32.add (local.get $end) (i32.const 16384)))
    (loop $step
      (if (i32.eq (local.get $state) (i32.const 6)) ;; STRING
        (then
          (loop $plain
            (if (i32.le_u (i32.add (local.get $at) (i32.const 16)) (local.get $end))
              (then
                (local.set $bytes (v128.load (local.get $at)))
                (local.set $mask
                  (i8x16.bitmask
                    (v128.or
                      (v128.or
                        (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
                        (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
                      (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))
                (if (i32.eqz (local.get $mask))
                  (then
                    (local.set $at (i32.add (local.get $at) (i32.const 16)))
                    (br $plain)))
                (local.set $at (i32.add (local.get $at) (i32.ctz (local.get $mask)))))))))
      (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (local.get $state))))
      (local.set $next
        (i32.load8_u
          (i32.add (i32.shl (local.get $state) (i32.const 8)) (i32.load8_u (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (if (i32.lt_u (local.get $next) (i32.const 64))
        (then
          (local.set $state (local.get $next))
          (br_if $step (local.get $state))
          (return (i32.const 0))))
      (block $string_end (block $value_string (block $name_string (block $comma
        (block $close_array (block $close_object (block $open_array (block $open_object
          (br_table $open_object $open_array $close_object $close_array $comma $name_string $value_string $string_end
            (i32.sub (local.get $next) (i32.const 64))))
          ;; OPEN_OBJECT
          (i32.store8 (i32.add (global.get $depth) (i32.const 81920)) (i32.const 1))
          (global.set $depth (i32.add (global.get $depth) (i32.const 1)))
          (local.set $state (i32.const 3)) ;; NAME_OR_CLOSE
          (br $step))
          ;; OPEN_ARRAY
          (i32.store8 (i32.add (global.get $depth) (i32.const 81920)) (i32.const 0))
          (global.set $depth (i32.add (global.get $depth) (i32.const 1)))
          (local.set $state (i32.const 2)) ;; VALUE_OR_CLOSE
          (br $step))
          ;; CLOSE_OBJECT
          (if (i32.eqz (call $is_object)) (then (return (i32.const 0))))
          (global.set $depth (i32.sub (global.get $depth) (i32.const 1)))
          (local.set $state (i32.const 7)) ;; AFTER
          (br $step))
          ;; CLOSE_ARRAY
          (if (i32.eqz (global.get $depth)) (then (return (i32.const 0))))
          (if (call $is_object) (then (return (i32.const 0))))
          (global.set $depth (i32.sub (global.get $depth) (i32.const 1)))
          (local.set $state (i32.const 7)) ;; AFTER
          (br $step))
          ;; COMMA
          (if (i32.eqz (global.get $depth)) (then (return (i32.const 0))))
          (local.set $state (select (i32.const 4) (i32.const 1) (call $is_object))) ;; NAME, VALUE
          (br $step))
          ;; NAME_STRING
          (global.set $name (i32.const 1))
          (local.set $state (i32.const 6))
          (br $step))
          ;; VALUE_STRING
          (global.set $name (i32.const 0))
          (local.set $state (i32.const 6))
          (br $step))
      ;; STRING_END
      (local.set $state (select (i32.const 5) (i32.const 7) (global.get $name))) ;; COLON, AFTER
      (br $step))
    (unreachable))

  ;; 1 where the innermost open container is an object, 0 where it is an array or there is none.
  (func $is_object (result i32)
    (if (result i32) (i32.eqz (global.get $depth))
      (then (i32.const 0))
      (else (i32.load8_u (i32.add (global.get $depth) (i32.const 81919))))))
)
