"""Short documents in two languages, each with one term that comes out in two ways."""

from recollect.text.inline import plain
from recollect.text.translated import Translated

CHINESE = [
    ("安德烈走进了房间。", "Slowly Andrei walked into the room."),
    ("玛丽看见了安德烈，她笑了。", "When Mary saw Andrei, she smiled."),
    ("安德烈说：“你好，玛丽。”", "Then Andrei said: “Hello, Mary.”"),
    ("后来玛丽和安德烈去了图书馆。", "Later Mary and Andrew went to the library."),
    ("图书馆里没有人。", "There was nobody in the library."),
    ("安德烈在图书馆等玛丽。", "So Andrew waited for Mary in the library."),
    ("安德烈不喜欢等人。", "It is hard for Andrei to wait."),
    ("玛丽带来了一本书。", "This time Mary brought a book."),
]
GERMAN = [
    ("The folder is empty.", "Der Ordner ist leer."),
    ("Open the folder in the editor.", "Öffnen Sie den Ordner im Editor."),
    ("This folder cannot be deleted.", "Dieser Ordner kann nicht gelöscht werden."),
    ("Copy the folder to the server.", "Kopieren Sie das Verzeichnis auf den Server."),
    ("The server does not know this folder.", "Der Server kennt dieses Verzeichnis nicht."),
    ("Folders are shown first.", "Ordner werden zuerst angezeigt."),
    ("The server has stopped.", "Der Server wurde angehalten."),
    ("All editors are closed.", "Alle Editoren sind geschlossen."),
    ("Delete the folder?", "Den Ordner löschen?"),
    ("The editor could not be started.", "Der Editor konnte nicht gestartet werden."),
]


def units(pairs: list[tuple[str, str]]) -> list[Translated]:
    return [Translated(plain(one), plain(other), f"line {n}") for n, (one, other) in enumerate(pairs, 1)]
