/** Takes orders of the bench's parent process, as JSON texts over Node's IPC. A process that loses its parent ends. */
export function onOrder<Order>(take: (order: Order) => void): void {
  process.on('message', (text) => take(JSON.parse(String(text))))
  process.on('disconnect', () => process.exit(0))
}

export function tell(answer: object): void {
  process.send?.(JSON.stringify(answer))
}
