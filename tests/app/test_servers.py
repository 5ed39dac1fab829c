from orchestrator.app.servers import SharedTriton


class Server:
    url, log_path = "127.0.0.1:1", None

    def on_restart(self):
        raise AssertionError("replaced")

    async def restart(self): ...


def test_all_who_use_a_server_are_told_that_it_was_restarted_and_nobody_else():
    server, told = Server(), []
    shared = SharedTriton(server, lambda: told.append("metrics"))
    with shared.told(lambda: told.append("one")):
        with shared.told(lambda: told.append("two")):
            server.on_restart()
        server.on_restart()
    server.on_restart()

    assert told == ["metrics", "one", "two", "metrics", "one", "metrics"]
