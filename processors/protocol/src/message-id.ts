/** The bus header by which readers drop repeats (docs/reference/kept-records.md#message-ids). */
export const MESSAGE_ID_HEADER = 'Nats-Msg-Id'
