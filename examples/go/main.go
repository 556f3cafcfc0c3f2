// A processor in Go: adds `word_count`, the words of a question, to the record.
package main

import (
	"encoding/json"
	"github.com/nats-io/nats.go"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func answer(message *nats.Msg) {
	var fields struct {
		IngressPayload struct{ Messages []struct{ Content string } } `json:"ingress_payload"`
	}
	json.Unmarshal(message.Data, &fields) // not a chat request: no words
	words := 0
	for _, m := range fields.IngressPayload.Messages {
		words += len(strings.Fields(m.Content))
	}
	reply, _ := json.Marshal(map[string]int{"word_count": words})
	message.Respond(reply)
}

func main() {
	stop, closed := make(chan os.Signal, 1), func(*nats.Conn) { os.Exit(0) }
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	bus, err := nats.Connect(os.Getenv("GATEWAY_HOST"), nats.Token(os.Getenv("NATS_TOKEN")),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ClosedHandler(closed))
	if err != nil {
		log.Fatal(err)
	}
	bus.QueueSubscribe("llm.gl.wordcount", "wordcount", answer) // each message to one of us, however many run
	log.Print("processor initialized, connected: ", bus.Flush() == nil)
	<-stop
	bus.Drain() // answers what has arrived, then leaves
	select {}
}
