// Judges a provenance statement from standard input by the in-toto and SLSA definitions; unknown fields are errors.
package main

import (
	"fmt"
	"io"
	"os"

	provenance "github.com/in-toto/attestation/go/predicates/provenance/v1"
	statement "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

const slsa = "https://slsa.dev/provenance/v1"

func main() {
	if err := judge(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func judge(input io.Reader) error {
	text, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	var whole statement.Statement
	if err := protojson.Unmarshal(text, &whole); err != nil {
		return err
	}
	if err := whole.Validate(); err != nil {
		return err
	}
	if whole.PredicateType != slsa {
		return fmt.Errorf("predicate type %q", whole.PredicateType)
	}
	inner, err := protojson.Marshal(whole.Predicate)
	if err != nil {
		return err
	}
	var predicate provenance.Provenance
	if err := protojson.Unmarshal(inner, &predicate); err != nil {
		return err
	}
	return predicate.Validate()
}
