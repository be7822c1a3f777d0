"""What the Python clients know of event streams."""


class Frames:
    """Takes lines, prints the number of each event, remembers the position."""

    def __init__(self):
        self.position = 0
        self.cut()

    def cut(self):
        """The connection ended: what was begun counts for nothing."""
        self.id, self.event, self.data = None, None, False

    def take(self, line):
        """Takes one line; true at the end of a frame."""
        line = line.rstrip(b"\r\n").decode()
        if line:
            name, _, value = line.partition(": ")
            if name == "id":
                self.id = int(value)
            elif name == "event":
                self.event = value
            elif name == "data":
                self.data = True
            return False
        if self.id is not None:
            self.position = self.id
            if self.data and not self.event:
                print(self.id, flush=True)
        self.cut()
        return True
