/** Takes orders of the parent process as JSON texts over Node's IPC. The process ends with its parent. */
export function onParentMessage<Order>(take: (order: Order) => void): void {
  process.on('message', (text) => take(JSON.parse(String(text))))
  process.on('disconnect', () => process.exit(0))
}

export function sendToParent(answer: object): void {
  process.send?.(JSON.stringify(answer))
}
