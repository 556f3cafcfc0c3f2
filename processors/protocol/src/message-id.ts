/** The bus header by which a reader drops repeats: `<gateway_id>-<process start, ns>-<sequence>` (wire, 3). */
export const MESSAGE_ID_HEADER = 'Nats-Msg-Id'
