/**
 * The connections that the system keeps until they are accepted; the system limits them further (`somaxconn`, 4,096
 * mostly). Beyond node's 511 the system drops a connection's first packet, and its caller tries again after a second.
 */
export const BACKLOG = 65_535
