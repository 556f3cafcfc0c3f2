// A processor in Go: adds `word_count`, the words of a question, to the record.
package main

import (
	"encoding/json"
	"github.com/nats-io/nats.go"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

func answer(message *nats.Msg) {
	deadline, err := strconv.ParseInt(message.Header.Get("Gateway-Deadline"), 10, 64)
	if err == nil && deadline < time.Now().UnixMilli() {
		return // nobody waits for the answer any more
	}
	reply, _ := json.Marshal(fieldsToAdd(message.Data))
	message.Respond(reply)
}

// Returns the fields to add, which the row in gl_config.json must name; none if the message is no chat request of texts.
func fieldsToAdd(data []byte) map[string]int {
	var fields struct {
		IngressPayload struct{ Messages []struct{ Content *string } } `json:"ingress_payload"`
	}
	if json.Unmarshal(data, &fields) != nil || fields.IngressPayload.Messages == nil {
		return map[string]int{}
	}
	words := 0
	for _, m := range fields.IngressPayload.Messages {
		if m.Content == nil {
			return map[string]int{}
		}
		words += len(strings.Fields(*m.Content))
	}
	return map[string]int{"word_count": words}
}

// Kubernetes asks /readyz whether the pod is ready.
func servePort(ready func() bool) {
	port := os.Getenv("PROCESSOR_PORT")
	if port == "" {
		return
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	server := http.Server{Addr: ":" + port, Handler: mux, ReadTimeout: 5 * time.Second}
	go func() { log.Print("processor port: ", server.ListenAndServe()) }()
}

func main() {
	subject := os.Getenv("PROCESSOR_SUBJECT")
	if subject == "" {
		subject = "llm.gl.wordcount"
	}
	stop, closed := make(chan os.Signal, 1), func(*nats.Conn) { os.Exit(0) }
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	bus, err := nats.Connect(os.Getenv("GATEWAY_HOST"), nats.Token(os.Getenv("NATS_TOKEN")),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ClosedHandler(closed))
	if err != nil {
		log.Fatal(err)
	}
	var stopping atomic.Bool
	servePort(func() bool { return bus.IsConnected() && !stopping.Load() })
	bus.QueueSubscribe(subject, subject, answer) // a queue group: each message goes to one of the running processes
	log.Print("processor initialized, connected: ", bus.Flush() == nil)
	<-stop
	stopping.Store(true)
	bus.Drain() // answers the messages that have arrived, then disconnects
	select {}
}
