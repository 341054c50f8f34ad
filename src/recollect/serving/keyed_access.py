"""Clients by their keys, or by their addresses where no key is asked for, each within its quota."""

from fastapi import Request

from recollect.errors import DataError
from recollect.serving.access import SITE, Client, Owner
from recollect.serving.keys import KeyFile
from recollect.serving.quotas import Quota, Quotas
from recollect.serving.refusals import DeniedError, UnreadyError

__all__ = ["KeyedAccess"]


class KeyedAccess:
    """Tells clients by their keys, and counts what they ask for."""

    def __init__(self, keys: KeyFile | None, quotas: Quotas, quota: Quota) -> None:
        """`quota` is each client's, where its key says nothing else."""
        self._keys, self._quotas, self._quota = keys, quotas, quota

    @property
    def asks_for_keys(self) -> bool:
        """Whether a key is needed."""
        return self._keys is not None

    async def owner_of(self, request: Request) -> Owner:
        """Return whose sessions a request may see, and count the request."""
        return (await self.admit(request)).owner

    async def admit(self, request: Request, secret: str = "") -> Client:
        """Return who asks, by a secret or else the one in the header, and count the request."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if not secret and scheme.lower() == "bearer":
            secret = token.strip()
        client = self._client(secret, request.client.host if request.client else "")
        await self._quotas.count_request(client.name, client.quota)
        request.state.client = client
        return client

    async def charge(self, request: Request, characters: int) -> None:
        """Count what an admitted request wants translated."""
        client: Client = request.state.client
        await self._quotas.count_characters(client.name, client.quota, characters)

    def _client(self, secret: str, address: str) -> Client:
        if self._keys is None:
            return Client(SITE, f"address {address}", self._quota)
        if not secret:
            raise DeniedError("an API key is needed: send it as `Authorization: Bearer KEY`, or as api_key")
        try:
            key = self._keys.find(secret)
        except DataError:
            raise UnreadyError(
                "the keys of this server cannot be read; its operator must mend that"
            ) from None
        if key is None:
            raise DeniedError("this API key is not known here, or has been revoked")
        quota = Quota(
            self._quota.requests if key.requests is None else key.requests,
            self._quota.characters if key.characters is None else key.characters,
        )
        return Client(Owner(key.name), f"key {key.name}", quota)
