// Prints what Compose makes of its files, as `docker compose config` does: main FOLDER FILE..., variables from the environment.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	folder, files := os.Args[1], os.Args[2:]
	options, err := cli.NewProjectOptions(files, cli.WithWorkingDirectory(folder), cli.WithOsEnv, cli.WithResolvedPaths(true))
	if err != nil {
		log.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	text, err := project.MarshalJSON()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(text))
}
