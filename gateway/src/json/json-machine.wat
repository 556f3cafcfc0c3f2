;; The engine behind json-scan.ts: steps through a window of bytes by a table of transitions. The table is JSON's
;; grammar and stands in json-grammar.ts; here are the steps, the stack of open containers, the members of the text's own
;; object, and the short way through strings, which are nearly all of a body: sixteen bytes at a time.
(module
  ;; 0: the table, 256 bytes for each state. 8192: the words of one scan, named in json-machine-memory.ts.
  ;; 9216: eight bytes for each byte that a JSON string must escape: the escape, and in the last byte its length.
  ;; 16384: the window. 81920: what `compact` and `encode` write. 163840: one byte for each open container, 1 for an object, 0
  ;; for an array; the byte before them is a 2: there is none.
  ;; 264192: the members: start, end, length of the name, the name; filled up to a multiple of four.
  (memory (export "memory") 6 6)

  ;; Steps through the window from `from` to `end`; answers where it stopped: at the end, where the text is no JSON (the state
  ;; is 0 then), or where there is no room for more members and somebody wants all.
  (func (export "run") (param $from i32) (param $end i32) (result i32)
    (local $at i32) (local $state i32) (local $next i32) (local $mask i32) (local $bytes v128)
    (local $depth i32) (local $limit i32) (local $name i32) (local $spaces i32) (local $values i32)
    (local $base i32) (local $kept i32)
    (local.set $at (i32.add (local.get $from) (i32.const 16384)))
    (local.set $end (i32.add (local.get $end) (i32.const 16384)))
    ;; Where the part of a name begins that is not copied yet: a name that goes on from the window before begins here.
    (local.set $from (local.get $at))
    (local.set $state (i32.load (i32.const 8192)))
    (local.set $depth (i32.load (i32.const 8196)))
    (local.set $name (i32.load (i32.const 8200)))
    (local.set $spaces (i32.load (i32.const 8204)))
    (local.set $values (i32.load (i32.const 8208)))
    (local.set $base (i32.sub (i32.load (i32.const 8212)) (i32.const 16384)))
    (local.set $limit (i32.load (i32.const 8216)))
    ;; The depth at which members are kept: 1, or -1 where nobody asks for them.
    (local.set $kept (i32.load (i32.const 8220)))
    (block $done
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
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $next
          (i32.load8_u
            (i32.add (i32.shl (local.get $state) (i32.const 8)) (i32.load8_u (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (if (i32.lt_u (local.get $next) (i32.const 64))
          (then
            (local.set $state (local.get $next))
            (br_if $step (local.get $state))
            (br $done)))
        (if (i32.ge_u (local.get $next) (i32.const 128))
          (then
            (if (i32.ge_u (local.get $next) (i32.const 192)) ;; white space
              (then
                (local.set $spaces (i32.add (local.get $spaces) (i32.const 1)))
                (local.set $next (i32.sub (local.get $next) (i32.const 192)))
                (if (i32.ne (local.get $next) (local.get $state)) ;; ends a number
                  (then
                    (if (i32.eq (local.get $depth) (local.get $kept))
                      (then
                        (i32.store (i32.const 8228)
                          (i32.sub (i32.add (local.get $base) (local.get $at)) (i32.const 1)))))
                    (local.set $state (local.get $next))))
                (loop $blank
                  (if (i32.le_u (i32.add (local.get $at) (i32.const 16)) (local.get $end))
                    (then
                      (local.set $bytes (v128.load (local.get $at)))
                      (local.set $mask
                        (i8x16.bitmask
                          (v128.or
                            (v128.or
                              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x20)))
                              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x0a))))
                            (v128.or
                              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x0d)))
                              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x09)))))))
                      ;; The bits above the sixteenth are set: ctz ends there.
                      (local.set $mask (i32.ctz (i32.xor (local.get $mask) (i32.const -1))))
                      (local.set $spaces (i32.add (local.get $spaces) (local.get $mask)))
                      (local.set $at (i32.add (local.get $at) (local.get $mask)))
                      (br_if $blank (i32.eq (local.get $mask) (i32.const 16))))))
                (br $step)))
            ;; A number or a literal begins.
            (local.set $state (i32.sub (local.get $next) (i32.const 128)))
            (local.set $values (i32.add (local.get $values) (i32.const 1)))
            (br_if $step (i32.ne (local.get $depth) (local.get $kept)))
            (i32.store (i32.const 8224) (i32.sub (i32.add (local.get $base) (local.get $at)) (i32.const 1)))
            (br $step)))
        (block $literal_end (block $string_end (block $value_string (block $name_string (block $comma
          (block $close_array (block $close_object (block $open
            (br_table $open $open $close_object $close_array $comma $name_string $value_string $string_end $literal_end
              (i32.sub (local.get $next) (i32.const 64))))
            ;; OPEN_OBJECT and OPEN_ARRAY
            (if (i32.ge_u (local.get $depth) (local.get $limit))
              (then
                (i32.store (i32.const 8232) (i32.const 1))
                (local.set $state (i32.const 0))
                (br $done)))
            (local.set $values (i32.add (local.get $values) (i32.const 1)))
            (if (i32.eq (local.get $depth) (local.get $kept))
              (then
                (i32.store (i32.const 8224) (i32.sub (i32.add (local.get $base) (local.get $at)) (i32.const 1)))))
            ;; 1 for an object, 0 for an array; then NAME_OR_CLOSE or VALUE_OR_CLOSE.
            (local.set $mask (i32.eq (local.get $next) (i32.const 64)))
            (i32.store8 (i32.add (local.get $depth) (i32.const 163840)) (local.get $mask))
            (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
            (local.set $state (i32.add (i32.const 2) (local.get $mask)))
            (br $step))
            ;; CLOSE_OBJECT
            (if (i32.ne (i32.load8_u (i32.add (local.get $depth) (i32.const 163839))) (i32.const 1))
              (then
                (local.set $state (i32.const 0))
                (br $done)))
            (if (i32.eq (local.get $depth) (local.get $kept))
              (then
                (if (i32.ne (local.get $state) (i32.const 3)) ;; NAME_OR_CLOSE: there was no member
                  (then (call $keep_member (local.get $state) (i32.add (local.get $base) (local.get $at)))))))
            (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
            (br $literal_end))
            ;; CLOSE_ARRAY
            (if (i32.load8_u (i32.add (local.get $depth) (i32.const 163839)))
              (then
                (local.set $state (i32.const 0))
                (br $done)))
            (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
            (br $literal_end))
            ;; COMMA
            (local.set $mask (i32.load8_u (i32.add (local.get $depth) (i32.const 163839))))
            (if (i32.eq (local.get $mask) (i32.const 2))
              (then
                (local.set $state (i32.const 0))
                (br $done)))
            (if (i32.and (local.get $mask) (i32.eq (local.get $depth) (local.get $kept)))
              (then
                (call $keep_member (local.get $state) (i32.add (local.get $base) (local.get $at)))
                (local.set $state (i32.const 4)) ;; NAME
                (br_if $done
                  (i32.and (i32.load (i32.const 8248)) (i32.ge_u (i32.load (i32.const 8236)) (i32.const 256))))
                (br $step)))
            (local.set $state (select (i32.const 4) (i32.const 1) (local.get $mask))) ;; NAME, VALUE
            (br $step))
            ;; NAME_STRING
            (local.set $name (i32.const 1))
            (local.set $state (i32.const 6))
            (if (i32.eq (local.get $depth) (local.get $kept))
              (then
                (local.set $from (local.get $at))
                (i32.store (i32.const 8244) (i32.const 0))))
            (br $step))
            ;; VALUE_STRING
            (local.set $name (i32.const 0))
            (local.set $state (i32.const 6))
            (local.set $values (i32.add (local.get $values) (i32.const 1)))
            (br_if $step (i32.ne (local.get $depth) (local.get $kept)))
            (i32.store (i32.const 8224) (i32.sub (i32.add (local.get $base) (local.get $at)) (i32.const 1)))
            (br $step))
          ;; STRING_END
          (br_if $literal_end (i32.eqz (local.get $name)))
          (local.set $state (i32.const 5)) ;; COLON
          (if (i32.eq (local.get $depth) (local.get $kept))
            (then (call $keep_name (local.get $from) (i32.sub (local.get $at) (i32.const 1)))))
          (br $step))
        ;; LITERAL_END, and the end of any value but a number
        (local.set $state (i32.const 7)) ;; AFTER
        (if (i32.eq (local.get $depth) (local.get $kept))
          (then (i32.store (i32.const 8228) (i32.add (local.get $base) (local.get $at)))))
        (br $step)))
    ;; The window ends inside a name: the rest of it is in the next one.
    (if
      (i32.and
        (i32.and (local.get $name) (i32.eq (local.get $depth) (local.get $kept)))
        (i32.or
          (i32.eq (local.get $state) (i32.const 6))
          (i32.lt_u (i32.sub (local.get $state) (i32.const 8)) (i32.const 5)))) ;; ESCAPE, HEX_1 to HEX_4
      (then (call $keep_name (local.get $from) (local.get $at))))
    (i32.store (i32.const 8192) (local.get $state))
    (i32.store (i32.const 8196) (local.get $depth))
    (i32.store (i32.const 8200) (local.get $name))
    (i32.store (i32.const 8204) (local.get $spaces))
    (i32.store (i32.const 8208) (local.get $values))
    (i32.sub (local.get $at) (i32.const 16384)))

  ;; Copies a part of a member's name behind those that are kept. A name of more than 256 bytes has the length 257.
  (func $keep_name (param $from i32) (param $to i32)
    (local $had i32) (local $more i32)
    (local.set $had (i32.load (i32.const 8244)))
    (local.set $more (i32.sub (local.get $to) (local.get $from)))
    (if (i32.gt_u (i32.add (local.get $had) (local.get $more)) (i32.const 256))
      (then
        (i32.store (i32.const 8244) (i32.const 257))
        (return)))
    (memory.copy
      (i32.add (i32.add (i32.load (i32.const 8240)) (i32.const 264204)) (local.get $had))
      (local.get $from)
      (local.get $more))
    (i32.store (i32.const 8244) (i32.add (local.get $had) (local.get $more))))

  ;; Keeps the member that a comma or the object's end completes; where there is no room, says so.
  (func $keep_member (param $state i32) (param $after i32)
    (local $entry i32) (local $length i32)
    (if (i32.ne (local.get $state) (i32.const 7)) ;; the byte itself ended a number
      (then (i32.store (i32.const 8228) (i32.sub (local.get $after) (i32.const 1)))))
    (local.set $length (i32.load (i32.const 8244)))
    (if
      (i32.or
        (i32.gt_u (local.get $length) (i32.const 256))
        (i32.ge_u (i32.load (i32.const 8236)) (i32.const 256)))
      (then
        (i32.store (i32.const 8252) (i32.const 1))
        (return)))
    (local.set $entry (i32.load (i32.const 8240)))
    (i32.store (i32.add (local.get $entry) (i32.const 264192)) (i32.load (i32.const 8224)))
    (i32.store (i32.add (local.get $entry) (i32.const 264196)) (i32.load (i32.const 8228)))
    (i32.store (i32.add (local.get $entry) (i32.const 264200)) (local.get $length))
    (i32.store (i32.const 8236) (i32.add (i32.load (i32.const 8236)) (i32.const 1)))
    (i32.store (i32.const 8240)
      (i32.add (local.get $entry)
        (i32.and (i32.add (local.get $length) (i32.const 15)) (i32.const -4)))))

  ;; Writes the window's first `length` bytes without the white space outside strings; answers how many there are. `state`, and
  ;; afterwards the word at 8256: 0 outside strings, 1 in one, 2 in one behind a backslash. The bytes are known to be JSON.
  (func (export "compact") (param $length i32) (param $state i32) (result i32)
    (local $at i32) (local $end i32) (local $out i32) (local $byte i32) (local $mask i32) (local $bytes v128)
    (local.set $at (i32.const 16384))
    (local.set $end (i32.add (local.get $length) (i32.const 16384)))
    (local.set $out (i32.const 81920))
    (block $done
      (br_if $done (i32.eqz (local.get $length)))
      (if (i32.eq (local.get $state) (i32.const 2))
        (then
          (i32.store8 (local.get $out) (i32.load8_u (local.get $at)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (local.set $out (i32.add (local.get $out) (i32.const 1)))
          (local.set $state (i32.const 1))))
      (loop $step
        (if (local.get $state)
          (then
            (loop $plain
              (if (i32.le_u (i32.add (local.get $at) (i32.const 16)) (local.get $end))
                (then
                  (local.set $bytes (v128.load (local.get $at)))
                  (v128.store (local.get $out) (local.get $bytes))
                  (local.set $mask
                    (i8x16.bitmask
                      (v128.or
                        (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
                        (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))))
                  ;; The seventeenth bit is set: ctz ends there.
                  (local.set $mask (i32.ctz (i32.or (local.get $mask) (i32.const 0x10000))))
                  (local.set $at (i32.add (local.get $at) (local.get $mask)))
                  (local.set $out (i32.add (local.get $out) (local.get $mask)))
                  (br_if $plain (i32.eq (local.get $mask) (i32.const 16))))))
            (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
            (local.set $byte (i32.load8_u (local.get $at)))
            (i32.store8 (local.get $out) (local.get $byte))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $out (i32.add (local.get $out) (i32.const 1)))
            (if (i32.eq (local.get $byte) (i32.const 0x5c))
              (then
                (if (i32.ge_u (local.get $at) (local.get $end))
                  (then
                    (local.set $state (i32.const 2))
                    (br $done)))
                (i32.store8 (local.get $out) (i32.load8_u (local.get $at)))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (local.set $out (i32.add (local.get $out) (i32.const 1)))
                (br $step)))
            (local.set $state (i32.ne (local.get $byte) (i32.const 0x22)))
            (br $step)))
        (loop $outside
          (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
          (local.set $byte (i32.load8_u (local.get $at)))
          (i32.store8 (local.get $out) (local.get $byte))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (local.set $out (i32.add (local.get $out) (i32.gt_u (local.get $byte) (i32.const 0x20))))
          (br_if $outside (i32.ne (local.get $byte) (i32.const 0x22))))
        (local.set $state (i32.const 1))
        (br $step)))
    (i32.store (i32.const 8256) (local.get $state))
    (i32.sub (local.get $out) (i32.const 81920)))

  ;; How many bytes the escapes add to the window's first `length` bytes in a JSON string.
  (func (export "added") (param $length i32) (result i32)
    (local $at i32) (local $end i32) (local $mask i32) (local $added i32)
    (local.set $at (i32.const 16384))
    (local.set $end (i32.add (local.get $length) (i32.const 16384)))
    ;; Bytes behind the end that the last step of sixteen sees must add nothing.
    (v128.store (local.get $end) (i8x16.splat (i32.const 0x20)))
    (block $done
      (loop $step
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $mask (call $escaped (v128.load (local.get $at))))
        (loop $each
          (if (local.get $mask)
            (then
              (local.set $added
                (i32.add
                  (local.get $added)
                  (i32.sub
                    (call $escape_length (i32.load8_u (i32.add (local.get $at) (i32.ctz (local.get $mask)))))
                    (i32.const 1))))
              (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
              (br $each))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $step)))
    (local.get $added))

  ;; Writes the window's first `length` bytes, at most a sixth of a window, as a JSON string has them; answers how many.
  (func (export "encode") (param $length i32) (result i32)
    (local $at i32) (local $end i32) (local $out i32) (local $mask i32) (local $byte i32)
    (local.set $at (i32.const 16384))
    (local.set $end (i32.add (local.get $length) (i32.const 16384)))
    (local.set $out (i32.const 81920))
    (v128.store (local.get $end) (i8x16.splat (i32.const 0x20)))
    (block $done
      (loop $step
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (v128.store (local.get $out) (v128.load (local.get $at)))
        (local.set $mask
          (i32.ctz (i32.or (call $escaped (v128.load (local.get $at))) (i32.const 0x10000))))
        (local.set $at (i32.add (local.get $at) (local.get $mask)))
        (local.set $out (i32.add (local.get $out) (local.get $mask)))
        (br_if $step (i32.eq (local.get $mask) (i32.const 16)))
        (loop $run ;; several may stand side by side
          (local.set $byte (i32.load8_u (local.get $at)))
          (i64.store (local.get $out) (i64.load (i32.add (i32.shl (local.get $byte) (i32.const 3)) (i32.const 9216))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (local.set $out (i32.add (local.get $out) (call $escape_length (local.get $byte))))
          ;; Behind the end stands a space.
          (br_if $run (i32.lt_u (i32.load8_u (local.get $at)) (i32.const 0x20))))
        (br $step)))
    ;; The last step of sixteen may have gone beyond the end.
    (i32.sub (i32.sub (local.get $out) (i32.sub (local.get $at) (local.get $end))) (i32.const 81920)))

  ;; A bit for each of sixteen bytes that a JSON string must escape.
  (func $escaped (param $bytes v128) (result i32)
    (i8x16.bitmask
      (v128.or
        (v128.or
          (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
          (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
        (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))

  (func $escape_length (param $byte i32) (result i32)
    (i32.load8_u (i32.add (i32.shl (local.get $byte) (i32.const 3)) (i32.const 9223))))
)
